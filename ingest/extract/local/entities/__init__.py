"""People, organisations, places and things, as patterns find them in a text."""
