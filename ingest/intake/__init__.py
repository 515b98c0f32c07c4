"""The way in: an item is cut into chunks and stored, durable and findable by words."""
