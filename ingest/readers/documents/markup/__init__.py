"""Light markup languages: their text as Markdown has it, so that headings, lists and tasks are read alike."""
