"""Opening a memory from Python."""

import logging
import os
from pathlib import Path

from core.interface.memory import check_project_id
from remembrancer._memory import Memory
from remembrancer._owner import OwnerTools
from service.owner.home_config import HomeConfig, describe_ignored_dotenv

_log = logging.getLogger("remembrancer")


def open(home: str | os.PathLike[str] | None = None, *, project_id: str = "default") -> Memory:  # noqa: A001 - `remembrancer.open`, as `gzip.open`
    """Open a memory: that of a home folder, else the one that the settings name.

    An embedded home is served by one process, its owner, to all its clients; it is started if it does not run. Where
    the vectors are on a server, the service runs in this process. `project_id` is the default of every method.

    Raises:
        InvalidInput: a setting or the project id is not valid.
        Unavailable: the home or a server can't be reached.
    """
    check_project_id(project_id)
    if (ignored := describe_ignored_dotenv()) is not None:
        _log.warning("%s", ignored)
    home_config = HomeConfig.find(None if home is None else Path(home))
    if not home_config.allows_multiple_servers:
        return Memory(OwnerTools(home_config), project_id)
    # The whole service takes seconds to import, which a client of an owner does without.
    from remembrancer._in_process import InProcessTools

    return Memory(InProcessTools(home_config.home), project_id)
