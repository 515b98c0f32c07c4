"""The formats of other systems' memories, each told by the fields that stand at the beginning of its files."""

import re
from typing import Final

from core.regex import regex
from ingest.readers.formats.format import Fit, Format, Head

#: How the page of a note of Google Keep begins below its styles.
_KEEP_PAGE: Final = regex(r'<div class="note(?: [A-Z_]{1,20})?">\s{0,20}<div class="heading">')

#: A line of a note of basic-memory: an observation or a relation.
_BASIC_LINE: Final = regex(
    r"^[ \t]{0,8}[-*] (?:\[[^\[\]()\n]{2,60}\] |(?:[\w-]{1,40} ){0,4}\[\[[^\[\]\n]{1,300}\]\])", re.M
)
_BASIC_FIELDS: Final = tuple(regex(rf"^{name}:[ \t]*[^/\s]", re.M) for name in ("title", "type", "permalink"))
#: How files of Notion's export are called.
_NOTION: Final = regex(r"(?:.* )?[0-9a-f]{32}(?:\.md|(?:_all)?\.csv)", re.DOTALL)

#: What the page of a wiki says of itself in its head, and the time of a tiddler.
_WIKI: Final = regex(r'<meta name="(?:application-name|generator)" content="TiddlyWiki"')
_TIDDLER: Final = regex(r'"(?:created|modified)":\s{0,5}"\d{14,17}"')


def _graph(head: Head) -> Fit:
    first = head.text.lstrip().partition("\n")[0]
    is_entity = all(f'"{name}"' in first for name in ("type", "name", "entityType", "observations"))
    is_relation = all(f'"{name}"' in first for name in ("type", "from", "to", "relationType"))
    return Fit.CERTAIN if first.startswith("{") and (is_entity or is_relation) else Fit.NO


def _has(head: Head, openings: str, *names: str) -> bool:
    """Whether a text begins with one of the openings and has every one of the names of JSON in its head."""
    return head.text.lstrip()[:1] in tuple(openings) and all(f'"{name}"' in head.text for name in names)


def _mem0(head: Head) -> Fit:
    ours = any(f'"{name}"' in head.text for name in ("user_id", "agent_id", "run_id", "hash"))
    return Fit.CERTAIN if ours and _has(head, "[{", "id", "memory", "created_at") else Fit.NO


def _memory_service(head: Head) -> Fit:
    exported = _has(head, "{", "export_metadata", "total_memories")
    return Fit.CERTAIN if exported or _has(head, "[{", "content", "content_hash", "memory_type") else Fit.NO


def _keep(head: Head) -> Fit:
    is_note = _has(head, "{", "isTrashed", "isPinned", "isArchived")
    is_page = _KEEP_PAGE.search(head.text) is not None
    return Fit.CERTAIN if is_note or is_page else Fit.NO


def _notion(head: Head) -> Fit:
    named = _NOTION.fullmatch(head.source.name) is not None
    return Fit.CERTAIN if named and (head.source.suffix == ".csv" or head.text.startswith("# ")) else Fit.NO


def _basic_memory(head: Head) -> Fit:
    if not head.text.startswith("---"):
        return Fit.NO
    front, _, body = head.text[3:].partition("\n---")
    told = all(field.search(front) for field in _BASIC_FIELDS) and _BASIC_LINE.search(body)
    return Fit.CERTAIN if told else Fit.NO


def _evernote(head: Head) -> Fit:
    return Fit.CERTAIN if "<en-export" in head.text[:2_000] else Fit.NO


def _joplin(head: Head) -> Fit:
    return Fit.CERTAIN if head.source.suffix == ".jex" and head.data[257:262] == b"ustar" else Fit.NO


def _text_bundle(head: Head) -> Fit:
    return Fit.CERTAIN if any(".textbundle/" in member for member in head.members) else Fit.NO


def _apple_notes(head: Head) -> Fit:
    is_export = any(member.rpartition("/")[2] == "Notes Details.csv" for member in head.members)
    return Fit.CERTAIN if is_export else Fit.NO


def _tiddly_wiki(head: Head) -> Fit:
    is_page = _WIKI.search(head.text) is not None
    is_list = _has(head, "[", "title", "text") and _TIDDLER.search(head.text) is not None
    return Fit.CERTAIN if is_page or is_list else Fit.NO


MCP_MEMORY: Final = Format(
    "mcp-memory",
    "the file of the official MCP memory server, an item an entity with its observations and relations",
    ".memories.memory_systems:read_entity_graph",
    look=_graph,
)
MEM0: Final = Format(
    "mem0", "all memories that mem0 returns in JSON, an item each", ".memories.memory_systems:read_mem0", look=_mem0
)
MCP_MEMORY_SERVICE: Final = Format(
    "mcp-memory-service",
    "the export of mcp-memory-service in JSON, an item a memory",
    ".memories.memory_systems:read_memory_service",
    look=_memory_service,
)
KEEP: Final = Format(
    "google-keep",
    "Google Keep's notes as Takeout gives them in JSON, each without what is in the trash",
    ".memories.note_apps:read_keep",
    look=_keep,
)
NOTION: Final = Format(
    "notion",
    "Notion's export in Markdown and CSV, in archives too: pages with their properties, and databases as csv",
    ".memories.wikis:read_notion",
    look=_notion,
)
BASIC_MEMORY: Final = Format(
    "basic-memory",
    "notes of basic-memory, with their observations' tags and their relations as sentences",
    ".memories.memory_systems:read_basic_memory",
    look=_basic_memory,
)
EVERNOTE: Final = Format(
    "evernote",
    "Evernote's export, an item a note, with what is attached to it",
    ".memories.note_apps:read_evernote",
    suffixes=(".enex",),
    look=_evernote,
)
JOPLIN: Final = Format(
    "joplin",
    "Joplin's export, an item a note with its notebooks and tags",
    ".memories.note_apps:read_joplin",
    suffixes=(".jex",),
    look=_joplin,
)
TEXT_BUNDLE: Final = Format(
    "textbundle",
    "packed TextBundles and the backups of Bear, an item a note",
    ".memories.note_apps:read_text_bundle",
    suffixes=(".textpack", ".bear2bk", ".bearbk"),
    look=_text_bundle,
)
TIDDLY_WIKI: Final = Format(
    "tiddlywiki",
    "a TiddlyWiki in HTML, or tiddlers in JSON or .tid, an item each",
    ".memories.wikis:read_tiddly_wiki",
    suffixes=(".tid",),
    look=_tiddly_wiki,
)
APPLE_NOTES: Final = Format(
    "apple-notes",
    "the archive of notes that Apple gives on request, an item a note, with what is attached to it",
    ".memories.note_apps:read_apple_notes",
    look=_apple_notes,
)
