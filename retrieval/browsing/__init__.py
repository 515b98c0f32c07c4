"""What the graph browser shows: a node's surroundings and details, an item's text, and matched words."""
