"""Entity resolution: which names mean one person or thing, across all items of a project."""
