"""An open memory: a method for each operation of the table, with its name, parameters, defaults and description.

Type checkers and editors read `_memory.pyi`, which `python -m tests.client_stub` makes.
"""

from core.interface.operations import OPERATIONS
from remembrancer._client import Client, make_method


class Memory(Client):
    """An open memory, with one method for each tool; `docs/tools.md` explains every parameter.

    Use it with `with`, or call `close`. It may be used from several threads. A method whose `project_id` is None acts
    on the project that the memory was opened with.

    Raises:
        MemoryServiceError: every method raises one of its subclasses, by the `code` that the tool answers with.
    """


for _operation in OPERATIONS:
    setattr(Memory, _operation.name, make_method(_operation))
