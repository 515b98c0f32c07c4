"""A folder of Markdown notes and the memory, kept the same; docs/decisions/folder-sync.md says which side wins when."""
