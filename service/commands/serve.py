"""`serve`: the functions are in `server`, which imports this package, so the rest of it imports this module late."""

from server import browse, configure, listener_of, run

__all__ = ["browse", "configure", "listener_of", "run"]
