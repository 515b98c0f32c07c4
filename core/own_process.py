"""Whether a process is the service's own, or a program that uses its package, with libraries of its own."""

_is_own = False


def claim_process() -> None:
    """Say that nothing but the service runs in this process; the command line does, before anything else."""
    global _is_own
    _is_own = True


def is_own_process() -> bool:
    """Return whether nothing but the service runs in this process."""
    return _is_own
