"""The fitted model that tells which sentences decide, promise, report or warn."""
