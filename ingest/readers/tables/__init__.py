"""Tables: spreadsheets and delimited text, row by row."""
