"""What each argument of a tool means, said to the model that fills it."""

from typing import Annotated, Final

from pydantic import Field

_PROJECT: Final = "Which memory; projects share nothing."
_DATE_FILTER: Final = "ISO 8601, or 7d, 3m, 1y before now."

#: By the argument's name.
DESCRIPTIONS: Final[dict[str, str]] = {
    "content": "The text to keep, verbatim: 1 to 10,000,000 characters.",
    "context": "What kind of item it is.",
    "source": "Where it came from, for example slack, gmail or manual.",
    "importance": "0 to 1.",
    "author": "Who wrote or said it.",
    "participants": "Who took part.",
    "date": "When it was written or said, ISO 8601. Due dates in the text are read from this day.",
    "conversation_id": "Groups the turns of a conversation; with a turn it also needs turn_index.",
    "turn_index": "Place of a turn in its conversation, from 0.",
    "role": "Role of a turn's speaker: user, assistant or system.",
    "key": "Unique name in this project and context; new content under it replaces the old, which stays as a revision.",
    "scope": "universal, language:NAME or project:NAME.",
    "expires_at": "ISO 8601; after that the item is no longer found.",
    "wait": "Return only after vectors and events are there too.",
    "query": "What to find, in plain words, 2 to 5000 characters; or an item's key.",
    "id": "art_…, evt_… or ent_…: that one thing, complete.",
    "limit": "Most results, 1 to 1000.",
    "offset": "Results to skip.",
    "expand": "Also return decisions, commitments and risks connected through people and projects.",
    "include_events": "Put each result's own events beside it.",
    "include_entities": "List the people, organisations and projects that the results mention.",
    "date_from": _DATE_FILTER,
    "date_to": _DATE_FILTER,
    "as_of": "Answer from what was known then: ISO 8601, or 7d, 3m, 1y before now.",
    "tags": "Whole tags; as a filter all of them must be there.",
    "min_importance": "0 to 1.",
    "graph_budget": "Most related events, 0 to 50.",
    "graph_depth": "Steps between a result and a related event, 1 to 3.",
    "graph_filters": "Categories of related events; default Decision, Commitment, QualityRisk.",
    "expand_neighbors": "Also return the chunks or turns before and after each result.",
    "topic": "What it is about: a subject's name, or words of it in any form.",
    "person": "Who took part: a name, alias, address or ent_… id.",
    "owner": "Whose promise: a name, alias, address or ent_… id.",
    "status": "Only those that stand so. Overdue is open and past due.",
    "due_before": "Only those due before this: ISO 8601, or 7d, 3m, 1y before now.",
    "max_tokens": "Cap on the whole answer; what was dropped is said in hint.",
    "name": "A name, alias, address or handle.",
    "depth": "Steps from it, 1 to 3.",
    "budget": "Most nodes, 1 to 500.",
    "review": "List pairs that may be one person or thing instead; then give neither id nor name.",
    "category": "Only this category, such as style, or this kind, such as correction.",
    "task": "coding, debugging, documentation or architecture: what bears on it comes first.",
    "project": "Project worked on; found from the client's folder if not given.",
    "language": "Programming language worked in; found from the client's folder if not given.",
    "token_budget": "Most tokens of the answer, 50 to 100,000.",
    "folder": "Whole path of the folder worked in, to find project and language from.",
    "project_id": _PROJECT,
}

ProjectId = Annotated[str, Field(description=_PROJECT)]
