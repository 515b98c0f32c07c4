"""The embedders, and the tokenizer that says where a text may be cut."""
