"""Damaged files of every format: each is read or refused by name, in time and memory, by its reader itself.

They are read as the install reads them, in a process of its own with limits; but here a file that only the limits stop
is a fault, as is one for which the reader raises what is no error of ours.
"""

import base64
import io
import json
import random
import re
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest

from core.errors import InvalidInput, TooLarge
from ingest.isolation import IsolatedProcess, Limits
from ingest.readers import items
from ingest.readers.formats.format import chosen, formats
from ingest.readers.formats.source import Item, Source
from ingest.readers.isolated import IsolatedReader
from tests.ingest.readers import test_open_text as open_text
from tests.ingest.readers.compound_file import compound_file
from tests.ingest.readers.conversations import test_claude_code as claude_code
from tests.ingest.readers.conversations import test_other_chats as chats
from tests.ingest.readers.conversations.test_agent_sessions import FILES as AGENT_SESSIONS
from tests.ingest.readers.conversations.test_captions import SUBRIP, TEAMS
from tests.ingest.readers.conversations.test_chatgpt import export
from tests.ingest.readers.conversations.test_claude import EXPORT
from tests.ingest.readers.conversations.test_codex import FORMER, lines
from tests.ingest.readers.conversations.test_codex import SESSION as CODEX
from tests.ingest.readers.conversations.test_discord import CHANNEL
from tests.ingest.readers.conversations.test_slack import DAYS, LISTS
from tests.ingest.readers.conversations.test_telegram import CHAT
from tests.ingest.readers.conversations.test_transcript import transcript
from tests.ingest.readers.conversations.test_whatsapp import ANDROID, IOS
from tests.ingest.readers.made_files import FILES, PICTURE, SAVED_PAGE, tarred
from tests.ingest.readers.mail import test_outlook as outlook
from tests.ingest.readers.memories import test_note_programs as notes
from tests.ingest.readers.memories.test_ingestion_page import EXAMPLES
from tests.ingest.readers.mutations import mutations
from tests.ingest.readers.test_markup import TEXTS

NOTE: Final = """---
title: Tides
tags: [harbour, "#tide"]
date: 2025-03-04
author: "[[Mei Tanaka]]"
nested: {deep: [1, {x: null}]}
---
# Tides

High water at **nine**. See [[Basin]].

```python
print(4.2)
```

| Day | Height |
| --- | --- |
| Monday | 4.2 |
"""
MAIL: Final = """From: =?utf-8?q?Ann_L=C3=A9e?= <ann@example.org>
To: Ben <ben@example.org>, mei@example.org
Date: Mon, 03 Mar 2025 09:00:00 +0100
Subject: Tiles
Message-ID: <1@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

We chose the blue ones =E2=80=94 at last.
--b
Content-Type: text/plain; name="plan.txt"
Content-Transfer-Encoding: base64

UGFpbnQu
--b--
"""
_ENVELOPE: Final = b"From ann@example.org Mon Mar  3 09:00:00 2025\n"
BOX: Final = b"\n".join([_ENVELOPE + MAIL.encode()] * 3)
SHEET: Final = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="Berths"><table:table-row table:number-rows-repeated="2">
<table:table-cell office:value-type="string" table:number-columns-repeated="2"><text:p>Boat</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="4.5"><text:p>4.5</text:p></table:table-cell>
</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"""
OPEN_SHEET: Final = {
    "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
    "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
    "content.xml": SHEET.replace('"\n', '" ').replace("\n", ""),
}
LINES: Final = (
    '{"content": "Hello.", "tags": ["a"], "importance": 0.5}\n{"content": "Hi \\ud83d\\ude00.", "date": "2025-03-04"}\n'
)


def packed(members: Mapping[str, object]) -> bytes:
    """Return an archive with members that are bytes, text, or else written as JSON."""
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, str | bytes) else json.dumps(content))
    return made.getvalue()


#: Sound files of each format, by its name and theirs.
SOUND: Final[dict[str, dict[str, bytes]]] = {
    "plain-text": {
        "note.txt": ("We open at nine. " * 20).encode(),
        "old.txt": ("Élodie vérifie les contrats déjà signés. " * 3).encode("cp1252"),
    },
    "markdown": {"note.md": NOTE.encode()},
    "json-lines": {"chat.jsonl": LINES.encode()},
    "mail": {"mail.eml": MAIL.encode()},
    "mbox": {"box.mbox": BOX},
    "outlook": {"pumps.msg": compound_file(outlook.MESSAGE)},
    "mhtml": {"pumps.mhtml": SAVED_PAGE},
    "picture": {"board.png": base64.b64decode(PICTURE)},
    "apple-notes": {"notes.zip": packed(notes.APPLE)},
    "maildir": {"cur/1770718800.M1P2.host:2,S": MAIL.encode()},
    "zip": {"all.zip": packed({"a.txt": "First.", "b/c.md": NOTE, "in.zip": packed({"d.csv": "Boat,Age\nHeron,4\n"})})},
    "tar": {"all.tgz": tarred({"a.txt": b"First.", "b/c.md": NOTE.encode()})},
    "html": {"boats.html": FILES["boats.html"]},
    "org": {"plan.org": TEXTS["plan.org"].encode()},
    "asciidoc": {"minutes.adoc": TEXTS["minutes.adoc"].encode()},
    "restructuredtext": {"report.rst": TEXTS["report.rst"].encode()},
    "todo.txt": {"todo.txt": b"(A) 2025-03-01 Call Ben +quay @phone due:2025-03-14\nx 2025-03-04 Drain the basin\n"},
    "latex": {"quay.tex": TEXTS["quay.tex"].encode()},
    "opendocument": {
        "quay.odt": packed(open_text.members(open_text.TEXT, "text")),
        "quay.odp": packed(open_text.members(open_text.SLIDES, "presentation")),
    },
    "evernote": {"notes.enex": notes.ENEX.encode()},
    "joplin": {"all.jex": tarred({name: text.encode() for name, text in notes.JEX.items()}, "")},
    "textbundle": {"all.bear2bk": packed(notes.BUNDLE)},
    "tiddlywiki": {
        "tiddlers.json": json.dumps(notes.TIDDLERS).encode(),
        "wiki.html": notes.WIKI.encode(),
        "former.html": notes.OLD_WIKI.encode(),
        "lamp.tid": b"title: Lamp\ncreated: 20250304101500000\n\n!It is bright.",
    },
    "messenger": {
        "message_1.json": json.dumps(chats.MESSENGER).encode(),
        "Ben.json": json.dumps(chats.SECRET).encode(),
    },
    "teams": {"messages.json": json.dumps(chats.SKYPE).encode(), "graph.json": json.dumps(chats.GRAPH).encode()},
    "signal": {"data.json": chats.SIGNAL.encode(), "sms.xml": chats.MESSAGES.encode()},
    "pdf": {"survey.pdf": FILES["survey.pdf"]},
    "docx": {"plan.docx": FILES["plan.docx"]},
    "pptx": {"review.pptx": FILES["review.pptx"]},
    "epub": {"tides.epub": FILES["tides.epub"]},
    "rtf": {"crane.rtf": FILES["crane.rtf"]},
    "notebook": {"tides.ipynb": FILES["tides.ipynb"]},
    "csv": {"berths.csv": FILES["berths.csv"], "notes.tsv": b"Id\tText\tTags\n7\tThe crane.\ta;b\n8\tThe pump.\t\n"},
    "spreadsheet": {
        "berths.xlsx": FILES["berths.xlsx"],
        "berths.ods": packed(OPEN_SHEET),
    },
    "calendar": {"harbour.ics": FILES["harbour.ics"]},
    "chatgpt": {"chatgpt.json": json.dumps(export()).encode()},
    "claude": {
        "claude.json": json.dumps(EXPORT).encode(),
        "claude.zip": packed({"conversations.json": EXPORT, "users.json": []}),
    },
    "claude-code": {"s-1.jsonl": claude_code.session(claude_code.SESSION).encode()},
    "codex": {"rollout-1.jsonl": lines(CODEX).encode(), "former.jsonl": lines(FORMER).encode()},
    "agent-session": {name: text.encode() for name, text, _ in AGENT_SESSIONS.values()},
    "captions": {"a.vtt": TEAMS.encode(), "b.srt": SUBRIP.encode()},
    "transcript": {"call.txt": transcript("zoom").encode(), "otter.txt": transcript("otter").encode()},
    "slack": {"slack.zip": packed(LISTS | DAYS)},
    "discord": {"discord.json": json.dumps(CHANNEL).encode()},
    "telegram": {"telegram.json": json.dumps(CHAT).encode()},
    "whatsapp": {"_chat.txt": IOS.encode(), "android.txt": ANDROID.encode()},
    **{name: {file: content.encode()} for name, file, content, _ in EXAMPLES},
}  # fmt: skip
#: How long a file may take, in seconds, on a machine that does much else, and how much memory, in MiB.
SECONDS, MEMORY = 20.0, 512
#: What the process of the reader says where it was stopped or its reader raised what it should not.
FAULT: Final = re.compile(r"': (?:Reading (?:took|needed) more|The process of reading ended|\w+: )")


@pytest.fixture(scope="module")
def reader() -> IsolatedReader:
    limits = Limits(SECONDS, MEMORY, per_second=1_000_000_000)
    return IsolatedReader(IsolatedProcess("Reading", "ingest.readers.isolated:operations", [], limits))


def faults(name: str, count: int, folder: Path, reader: IsolatedReader, seed: int) -> Iterator[str]:
    """Yield what is wrong with how the mutations of a format's files are read, which are kept."""
    chance = random.Random(seed)
    known = next(known for known in formats() if known.name == name)
    streams = {file: mutations(data, chance) for file, data in SOUND[name].items()}
    for number in range(count):
        file = list(streams)[number % len(streams)]
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(next(streams[file]))
        begun = time.monotonic()
        try:
            list(reader.items(path, context=None))
        except (InvalidInput, TooLarge) as error:
            said = str(error)
            if FAULT.search(said) or file not in said:
                path.rename(folder / f"{number}-{path.name}")
                yield f"{number}-{file} ({known.name}, {time.monotonic() - begun:.1f} s): {said[:300]}"


#: The formats whose readers are installed.
READ: Final = [known.name for known in formats() if not known.missing()]


@pytest.mark.parametrize("name", READ)
def test_every_format_has_sound_files(name: str, tmp_path: Path) -> None:
    """Of which all is read, so that what is mutated is what the format's reader reads."""
    for file, data in SOUND[name].items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(data)
        assert chosen(Source(tmp_path / file)).name == name
        assert any(isinstance(part, Item) for part in items(tmp_path / file, context=None))


@pytest.mark.parametrize("name", READ)
def test_a_damaged_file_is_read_or_refused_by_name(name: str, tmp_path: Path, reader: IsolatedReader) -> None:
    """Never a crash, a hang, or an error of a library."""
    assert list(islice(faults(name, 60, tmp_path, reader, seed=7), 5)) == []


@pytest.mark.exhaustive
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("name", READ)
def test_many_damaged_files_are_read_or_refused_by_name(
    name: str, tmp_path: Path, reader: IsolatedReader, pytestconfig: pytest.Config
) -> None:
    """The same, as often as `--mutations` says."""
    assert list(islice(faults(name, pytestconfig.getoption("mutations"), tmp_path, reader, seed=23), 20)) == []
