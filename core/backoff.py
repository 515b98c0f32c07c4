"""When work that failed is tried again."""

import random
from datetime import datetime, timedelta
from typing import Final

from core.dates import now

#: First wait, and the longest, in seconds.
_FIRST, _LONGEST = 1.0, 300.0
#: Attempts after which work that fails for its own reasons is parked; work that waits for a service is never parked.
MAX_ATTEMPTS: Final = 5


def not_before(attempts: int) -> datetime:
    """Return the moment of the next try: 1 s, 2 s, 4 s … up to 5 minutes, each with up to half of jitter on top."""
    wait = min(_FIRST * 2.0 ** min(attempts - 1, 30), _LONGEST)
    return now() + timedelta(seconds=wait * random.uniform(1, 1.5))  # noqa: S311 - jitter, not a secret
