"""The way in: remember, split, embed, extract, forget, rebuild."""
