"""What `search` and `fetch` answer: stored texts with a title, and an address by which they can be cited."""

from typing import Final
from urllib.parse import urlencode

from core.errors import InvalidInput
from core.interface.caller import CALLER
from core.interface.question import Question
from core.interface.results import Result, to_json
from core.interface.sources import FetchedSource, FetchQuestion, FoundSource, FoundSources, SearchQuestion, SourceId
from service.app import App

#: Texts that one search finds.
_FOUND: Final = 10
#: Characters of text of one answer, about 25,000 tokens: a longer text comes in parts.
_PART: Final = 100_000
#: Characters of the first line that are the title of a text without one.
_TITLE: Final = 80


def search_sources(app: App, asked: SearchQuestion, project_id: str) -> FoundSources:
    """Return the texts that may answer a question, best first.

    Raises as `App.recall` does.
    """
    question = Question(query=asked.query, limit=_FOUND, expand=False, include_events=False, include_entities=False)
    project = _open_project(project_id)
    found = app.recall(question, project).results
    return FoundSources([FoundSource(_id(one.id, project), *_cited(app, one, project)) for one in found])


def fetch_source(app: App, asked: FetchQuestion, project_id: str) -> FetchedSource:
    """Return a text whole, or the part of a long one that begins where the id says.

    Raises:
        InvalidInput: that is past its end.
        and as `App.recall` does.
    """
    source = asked.source
    project = source.project_id or _open_project(project_id)
    question = Question(id=source.id, detail="full", expand=False, include_events=False, include_entities=False)
    whole = app.recall(question, project).results[0]
    if source.offset and source.offset >= len(whole.content):
        raise InvalidInput(f"{source} is past the end: the text has {len(whole.content):,} characters.")
    end = source.offset + _PART
    facts = {name: value if isinstance(value, str) else str(value) for name, value in to_json(whole.metadata).items()}
    facts |= {"context": whole.context, "project_id": project}
    if end < len(whole.content):
        facts["continues"] = str(SourceId(source.id, source.project_id, end))
        facts["part"] = f"characters {source.offset:,} to {end:,} of {len(whole.content):,}: fetch `continues` next"
    title, url = _cited(app, whole, project)
    return FetchedSource(str(source), title, whole.content[source.offset : end], url, facts)


def _open_project(project_id: str) -> str:
    """Return the project, or the only one that is open to the caller: ChatGPT names none."""
    caller = CALLER.get()
    only = None if caller.may_use(project_id) or len(caller.projects or ()) != 1 else caller.projects
    return project_id if only is None else next(iter(only))


def _id(item_id: str, project_id: str) -> str:
    return str(SourceId(item_id, None if project_id == "default" else project_id))


def _cited(app: App, found: Result, project_id: str) -> tuple[str, str]:
    """Return the title of a text, and the address of its page, or where no page is served its MCP resource."""
    lines = (line.strip(" \t#*-") for line in found.content.splitlines())
    first = next(filter(None, lines), found.id)
    title = found.title or (first if len(first) <= _TITLE else f"{first[: _TITLE - 1].rstrip()}…")
    if app.page_address is None:
        return title, f"memory://{project_id}/artifact/{found.id}"
    return title, f"{app.page_address}/#/thing?{urlencode({'id': found.id, 'project': project_id})}"
