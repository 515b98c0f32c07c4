"""What is derived compared with its source, and repaired."""
