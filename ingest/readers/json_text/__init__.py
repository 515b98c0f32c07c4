"""JSON of exports: read as a stream, line by line, and its loosely typed values."""
