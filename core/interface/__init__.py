"""What a caller asks each tool, checked at the door, and what it answers."""
