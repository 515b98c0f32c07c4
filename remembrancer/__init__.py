"""Remembrancer for Python programs: a memory that is shared with the agents and the shell of the same user.

    with remembrancer.open() as memory:
        memory.remember("We chose the blue tiles.", author="Ann Lee", date="2026-03-02")
        answer = memory.recall("Which tiles did we choose?")

`docs/python.md` says more.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remembrancer._public import *  # noqa: F403
    from remembrancer._public import __all__ as __all__
else:
    # Imported at the first use: an installation has its other packages in this one, and `remembrancer stdio`, which
    # starts in a tenth of a second, needs none of these names.
    def __getattr__(name: str) -> object:
        public = import_module("._public", __name__)
        if name != "__all__" and name not in public.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        return getattr(public, name)

    def __dir__() -> list[str]:
        return import_module("._public", __name__).__all__
