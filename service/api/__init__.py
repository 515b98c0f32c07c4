"""The JSON API of the graph browser, below `/api/`, and the pages that use it."""
