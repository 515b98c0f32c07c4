"""What a user may rely on when files are turned into memories."""

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput, MemoryServiceError, NotFound, TooLarge
from core.interface.memory import MAX_CONTENT, MAX_FIELD, Memory
from ingest.readers import read, supported, walk
from ingest.readers.fields import memory_from
from ingest.readers.formats.format import suffixes


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def one(path: Path, context: str | None = None) -> Memory:
    (memory,) = read(path, context=context)
    return memory


def lines(folder: Path, *objects: object) -> Path:
    return written(folder, "turns.jsonl", "\n".join(json.dumps(item) for item in objects))


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1).filter(str.strip)


# Text and decoding


def test_a_text_file_is_one_memory_keyed_by_its_path(tmp_path: Path) -> None:
    """A changed file must replace its former text, so the key is the file's absolute path."""
    path = written(tmp_path, "plan.txt", "Ship on Friday.\n")
    where = path.resolve().as_posix()
    assert one(path) == Memory(
        content="Ship on Friday.\n", source="file", title="plan", key=where, file_path=where, date=None
    )


def test_the_text_keeps_its_line_ends_blanks_and_order_exactly(tmp_path: Path) -> None:
    """Offsets of evidence count in the stored text, so nothing may be trimmed or translated."""
    content = "  \r\nfirst\r\n\tsecond \u2028 third\n\n"
    assert one(written(tmp_path, "a.txt", content)).content == content


@given(content=TEXTS)
def test_any_text_comes_back_as_it_was_written(content: str) -> None:
    """Whatever the line ends, blanks and scripts, below front matter too."""
    with tempfile.TemporaryDirectory() as folder:
        assert one(written(Path(folder), "a.txt", content)).content == content
        assert one(written(Path(folder), "a.md", f"---\nauthor: Ann\n---\n{content}")).content == content


@given(
    data=st.binary(),
    suffix=st.sampled_from(suffixes()),
    opening=st.sampled_from([b"", b"---\n", b"To: ", b'{"content": "']),
)
def test_no_file_breaks_a_reader(data: bytes, suffix: str, opening: bytes) -> None:
    """Whatever stands in a file, it is read or refused with an error of ours, never with a traceback."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), "a" + suffix, opening + data + (b"\n---\nx" if opening == b"---\n" else b""))
        try:
            read(path, context=None)
        except MemoryServiceError as error:
            assert path.name in str(error)  # noqa: PT017 - reading it is as good as refusing it


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_files_are_read_without_their_mark(tmp_path: Path, encoding: str) -> None:
    """A byte order mark is no part of the text."""
    assert one(written(tmp_path, "a.txt", "Zażółć 漢字".encode(encoding))).content == "Zażółć 漢字"


def test_other_encodings_are_refused_with_the_way_out(tmp_path: Path) -> None:
    """An encoding is never guessed: a wrong guess would be quoted as evidence for ever."""
    path = written(tmp_path, "a.txt", "Müller".encode("cp1252"))
    with pytest.raises(InvalidInput, match=r"a\.txt' is not UTF-8 text \(byte 1\): .*iconv"):
        read(path, context=None)


def test_half_a_utf_16_file_is_refused(tmp_path: Path) -> None:
    """A mark promises UTF-16; a broken rest is said, not replaced."""
    with pytest.raises(InvalidInput, match="is not UTF-16 text"):
        read(written(tmp_path, "a.txt", "abc".encode("utf-16")[:-1]), context=None)


@pytest.mark.parametrize("data", [b"PK\x03\x04\x00\x00", "a\0b".encode("utf-16")])
def test_binary_files_are_refused(tmp_path: Path, data: bytes) -> None:
    """A suffix does not make text of an archive."""
    with pytest.raises(InvalidInput, match="binary file"):
        read(written(tmp_path, "a.txt", data), context=None)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.jsonl"])
@pytest.mark.parametrize("content", ["", " \n\t\n", "\ufeff\n"])
def test_blank_files_give_nothing(tmp_path: Path, name: str, content: str) -> None:
    """An empty list lets the caller report the file as skipped; nothing blank is ever stored."""
    assert read(written(tmp_path, name, content), context=None) == []


def test_a_text_over_the_limit_is_refused_by_name(tmp_path: Path) -> None:
    """Nothing is cut: the message names the file, so that the user can split it."""
    with pytest.raises(TooLarge, match=r"big\.txt.*10,000,001 characters"):
        read(written(tmp_path, "big.txt", b"a" * (MAX_CONTENT + 1)), context=None)


def test_a_huge_file_is_refused_before_it_is_read_whole(tmp_path: Path) -> None:
    """A sparse file of a terabyte must not take the process along."""
    path = written(tmp_path, "huge.log", "x")
    os.truncate(path, 10**12)
    with pytest.raises(TooLarge, match=r"huge\.log"):
        read(path, context=None)


def test_missing_files_folders_and_unreadable_suffixes_are_named(tmp_path: Path) -> None:
    """Each mistake of a path has its own sentence."""
    with pytest.raises(NotFound, match=r"gone\.txt"):
        read(tmp_path / "gone.txt", context=None)
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(InvalidInput, match="not a regular file"):
        read(tmp_path / "folder.txt", context=None)
    with pytest.raises(InvalidInput, match=r"film\.mp4.*\.jsonl"):
        read(written(tmp_path, "film.mp4", b"x"), context=None)


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    """Opening a pipe without a writer would hang for ever."""
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(InvalidInput, match="not a regular file"):
        read(tmp_path / "pipe.txt", context=None)


def test_a_link_that_points_at_itself_is_refused(tmp_path: Path) -> None:
    """Resolving it would raise an error that no caller expects."""
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    with pytest.raises(InvalidInput, match=r"loop\.txt"):
        read(tmp_path / "loop.txt", context=None)
    with pytest.raises(NotFound, match=r"loop\.txt"):
        walk([tmp_path / "loop.txt"])


def test_the_callers_context_counts_where_the_file_names_none(tmp_path: Path) -> None:
    """`ingest --context meeting` describes a folder; a file that says what it is knows better."""
    assert one(written(tmp_path, "a.txt", "x"), "meeting").context == "meeting"
    assert one(written(tmp_path, "a.md", "x"), "meeting").context == "meeting"
    assert one(written(tmp_path, "b.md", "---\ncontext: email\n---\nx"), "meeting").context == "email"
    assert one(lines(tmp_path, {"content": "x"}), "meeting").context == "meeting"
    with pytest.raises(InvalidInput, match="must be one of meeting"):
        read(tmp_path / "a.txt", context="memo")


# Markdown


def test_front_matter_gives_the_fields_and_the_rest_is_metadata(tmp_path: Path) -> None:
    """Every name that `remember` knows is a field; what it does not know is kept, not dropped."""
    path = written(
        tmp_path,
        "kickoff.md",
        "---\ntitle: Kick-off\ndate: 2026-01-21\nauthor: Ann Lee\nparticipants: [Ann Lee, Bo Park]\ncontext: meeting\n"
        "tags:\n  - alpha\nkey: kick\nimportance: 0.8\nsource: notes\nroom: 4\nreviewed: 2026-01-22\n"
        "metadata: {floor: 2}\n---\nBody.\n",
    )
    assert one(path) == Memory(
        content="Body.\n",
        title="Kick-off",
        date="2026-01-21",
        author="Ann Lee",
        participants=("Ann Lee", "Bo Park"),
        context="meeting",
        tags=("alpha",),
        key="kick",
        importance=0.8,
        source="notes",
        file_path=path.resolve().as_posix(),
        metadata={"floor": 2, "room": 4, "reviewed": "2026-01-22"},
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_body_is_everything_after_the_closing_line(tmp_path: Path, end: str) -> None:
    """Not even blank lines at its start or end are taken: offsets count in the body as it stands."""
    body = end.join(["", "  # Plan", "", "---", "text", "", ""])
    path = written(tmp_path, "a.md", end.join(["---", "author: Ann", "---", ""]) + body)
    assert one(path).content == body


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("\n## The *real* one ##\n\n### Part\n", "The real one"),
        ("# One\n\n# Two\n", "One"),
        ("intro.\n\n## Usage\n# Later\n", "Later"),
        ("intro.\n\n## Usage\n", "a"),
        ("## Usage\n\nText\n\n## Notes\n", "a"),
        ("- ## History\n", "a"),
        ("```\n# a comment\n```\n# Heading\n", "Heading"),
        ("~~~~\n~~~\n# a comment\n~~~~\n# Heading\n", "Heading"),
        ("Underlined\n===\n", "Underlined"),
        ("#hashtag only\n", "a"),
        ("```\n# never closed\n", "a"),
        ("Minutes of the quay\n\nWe met.\n", "Minutes of the quay"),
        ("We met on the quay.\n\nIt rained.\n", "a"),
    ],
)
def test_the_title_is_the_main_heading_else_the_first_line_else_the_file_name(
    tmp_path: Path, body: str, title: str
) -> None:
    """A line in a code block is no heading, and the heading of a section no title."""
    assert one(written(tmp_path, "a.md", body)).title == title


@pytest.mark.timeout(30)
@pytest.mark.parametrize("unit", ["- ", "-", "# ", "**", "[a](", "word - "])
def test_a_first_line_without_an_end_takes_linear_time(tmp_path: Path, unit: str) -> None:
    """It is no title, or a cut one."""
    line = "x" + unit * (100_000 // len(unit))
    for text in (line, line[1:]):
        assert len(one(written(tmp_path, "a.txt", text)).title or "") <= MAX_FIELD


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("name", "begin", "unit"),
    [
        ("a.md", "", "# a\n"),
        ("a.rtf", "{\\rtf1 ", "{\\footnote a "),
        ("a.rtf", "{\\rtf1 ", "{\\header{"),
        ("a.tex", "", "\\section{"),
        ("a.adoc", "", "link:a["),
    ],
)
def test_a_file_of_one_repeated_piece_takes_linear_time(tmp_path: Path, name: str, begin: str, unit: str) -> None:
    """It is read or refused; of some pieces no text is left."""
    with suppress(InvalidInput):
        read(written(tmp_path, name, begin + unit * (300_000 // len(unit))), context=None)


@pytest.mark.parametrize("text", ["---\njust a rule without an end\n", "text\n---\na: b\n---\n", "\n---\na: b\n---\nx"])
def test_a_rule_that_opens_no_front_matter_is_text(tmp_path: Path, text: str) -> None:
    """Front matter starts on the first line and has an end; everything else is the author's text."""
    assert one(written(tmp_path, "a.md", text)).content == text


@pytest.mark.parametrize(
    ("block", "name", "said"),
    [
        ("date: 2026-02-30", "date", "'2026-02-30' can't be read as date"),
        ("date: next week", "date", "'next week' can't be read as date"),
        ("importance: high", "importance", "importance 'high' is not a number"),
        ("importance: 3", "importance", "importance 3 is out of range"),
        ("turn_index: true", "turn_index", "turn_index True is not a whole number"),
        ("context: memo", "context", "context 'memo' is not valid"),
        ("context: conversation", "context", "conversation_id and turn_index"),
        ("scope: backend", "scope", "scope 'backend' is not valid"),
        ("title: a\ntitle: b", "title", "given twice"),
        ("a: &x [1]\nb: *x", "b", "aliases (*name)"),
        ("a: !!python/object/apply:os.getcwd []", "a", "tags (!name) are not read"),
        ("room:\n  - [1\nfloor: 2", "room", "while parsing"),
        ("a: " + "[" * 200 + "]" * 200, "a", "nested too deep"),
    ],
)
def test_a_strange_field_costs_itself_and_is_said(tmp_path: Path, block: str, name: str, said: str) -> None:
    """The file and its other fields are taken; no YAML runs code or explodes."""
    memory = one(written(tmp_path, "strange.md", f"---\n{block}\nauthor: Ann\n---\ntext\n"))
    assert (memory.content, memory.author) == ("text\n", "Ann")
    assert memory.metadata is not None
    assert said in memory.metadata["unread_fields"][name]


@pytest.mark.parametrize(
    "block",
    [
        "a: " + "[" * 5000, "a: " + "9" * 5000, r'a: "\U99999999"', "a: &a [1]\n" + "b: [*a, *a]\n" * 99,
        "x: |\n" + " y\n" * 20_000, "x: " + "é" * 90_000, "a" * 200_000 + ": 1", 'a: "\\ud800"', "1: one\n[a]: 2",
    ],
)  # fmt: skip
def test_no_front_matter_costs_the_file(tmp_path: Path, block: str) -> None:
    """Neither its size nor its depth nor what it stands for."""
    assert one(written(tmp_path, "a.md", f"---\n{block}\n---\ntext\n")).content.endswith("text\n")


@pytest.mark.parametrize("block", ["- a list", "Some words.\nMore of them.", "- a\nb: c\nd"])
def test_a_block_without_fields_is_text(tmp_path: Path, block: str) -> None:
    """Two lines of hyphens may as well set off a paragraph."""
    text = f"---\n{block}\n---\nmore\n"
    assert one(written(tmp_path, "a.md", text)).content == text


@pytest.mark.parametrize(
    ("block", "tags"),
    [
        ("tags: triage", ("triage",)),
        ("tags: alpha, beta", ("alpha", "beta")),
        ("Tags: '#alpha #beta/inner'", ("alpha", "beta/inner")),
        ("tags: #alpha #it's", ("alpha", "it's")),
        ("tags: [#alpha, beta]", ("alpha", "beta")),
        ("tags: [[alpha, beta], gamma]", ("alpha", "beta", "gamma")),
        ("tags:\n- topic: [alpha]\n- 7\n- alpha", ("alpha", "7")),
        ('tags: "[[Alpha]], [[Beta|b]]"', ("Alpha", "Beta")),
        ("keywords: [alpha]", ("alpha",)),
        ("tags: [#alpha, \"#beta\", 'gamma']", ("alpha", "beta", "gamma")),
        ("tags:\n  - #alpha\n  - '#beta'\n  - gamma/inner", ("alpha", "beta", "gamma/inner")),
        ("tags: alpha beta #gamma", ("alpha", "beta", "gamma")),
        ("tags: [alpha, #beta]", ("alpha", "beta")),
        ("tags: alpha, green house", ("alpha", "green house")),
    ],
)
def test_tags_are_read_as_people_write_them(tmp_path: Path, block: str, tags: tuple[str, ...]) -> None:
    """A text, a list in it, nested lists, marks and links of the tools for notes."""
    memory = one(written(tmp_path, "a.md", f"---\n{block}\n---\ntext"))
    assert (memory.tags, memory.metadata) == (tags, None)


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        ("author: '[[Mei Tanaka]]'", {"author": "Mei Tanaka"}),
        ("author: [[Mei Tanaka]]", {"author": "Mei Tanaka"}),
        ("authors:\n  - name: Mei Tanaka\n    url: x", {"author": "Mei Tanaka"}),
        ("author: '[Mei](https://example.org/mei)'", {"author": "Mei"}),
        ("attendees: Mei Tanaka, Bo Park", {"participants": ("Mei Tanaka", "Bo Park")}),
        ("participants: [Ann, 7]", {"participants": ("Ann", "7")}),
        ("title: 1.10", {"title": "1.10"}),
        ("title: Plan: the second try", {"title": "Plan: the second try"}),
        ("title: '@home' and more", {"title": "'@home' and more"}),
        ("created: 2026-01-21 10:30:00 +0100", {"date": "2026-01-21 10:30:00 +0100"}),
        ("date: January 21st, 2026", {"date": "2026-01-21"}),
        ("date: '[[21 Jan 2026]]'", {"date": "2026-01-21"}),
        ("date: 21.01.2026", {"date": "2026-01-21"}),
        ("Date: Wed, 21 Jan 2026 10:00:00 GMT", {"date": "2026-01-21"}),
        ("date created: 20260121", {"date": "2026-01-21"}),
        ("date:\ncreated: 2026-01-21", {"date": "2026-01-21"}),
        ("aliases: plan, map", {"metadata": {"aliases": "plan, map"}}),
        ("date: 2026-01-21\ncreated: 2026-01-19", {"date": "2026-01-21", "metadata": {"created": "2026-01-19"}}),
        ("metadata: {room: 1}\nroom: 2", {"metadata": {"room": 2}}),
        ("metadata: 3", {"metadata": {"metadata": 3}}),
        ("content: other", {"metadata": {"content": "other"}}),
    ],
)
def test_fields_are_read_as_the_tools_for_notes_write_them(
    tmp_path: Path, block: str, fields: dict[str, object]
) -> None:
    """Other names of a field, links, and dates in any common form."""
    memory = one(written(tmp_path, "a.md", f"---\n{block}\n---\ntext"))
    assert {name: getattr(memory, name) for name in fields} == fields
    assert not (memory.metadata or {}).get("unread_fields")


@pytest.mark.parametrize(
    "head",
    [
        "+++\ntitle = 'Plan'\ndate = 2026-01-21\ntags = ['alpha']\n[extra]\nroom = 4\n+++\n",
        "title:: Plan\ndate:: [[Jan 21st, 2026]]\ntags:: [[alpha]]\nextra:: x\n",
    ],
)
def test_hugo_and_logseq_fields_are_read(tmp_path: Path, head: str) -> None:
    """TOML between lines of plus signs, and properties with two colons."""
    memory = one(written(tmp_path, "a.md", f"{head}\nText.\n"))
    assert (memory.content, memory.title, memory.date, memory.tags) == ("\nText.\n", "Plan", "2026-01-21", ("alpha",))
    assert (memory.metadata or {}).keys() == {"extra"}


def test_what_only_looks_like_a_value_stays_text(tmp_path: Path) -> None:
    """YAML 1.1 would make 630, False, 10 and a date of these; whoever wrote them meant the words."""
    block = (
        "start: 10:30\nvegan: no\nroom: 012\nnext: 2026-1-5\nnumber: -3\nshare: 0.5\nopen: true\nnone: ~\nlist: [1, x]"
    )
    assert one(written(tmp_path, "a.md", f"---\n{block}\n---\ntext")).metadata == {
        "start": "10:30",
        "vegan": "no",
        "room": "012",
        "next": "2026-1-5",
        "number": -3,
        "share": 0.5,
        "open": True,
        "none": None,
        "list": [1, "x"],
    }


def test_a_field_without_a_value_is_not_given(tmp_path: Path) -> None:
    """Templates leave `author:` empty; that means nobody was named."""
    memory = one(written(tmp_path, "a.md", "---\nauthor:\ntitle:\ncontext:\nkey:\nmetadata:\n---\n# Head\n"))
    assert (memory.author, memory.title, memory.context, memory.metadata) == (None, "Head", "document", None)
    assert memory.key == memory.file_path


def test_front_matter_without_a_body_gives_nothing(tmp_path: Path) -> None:
    """There is no content to remember."""
    assert read(written(tmp_path, "a.md", "---\ntitle: Empty\n---\n \n"), context=None) == []


# JSON Lines


def test_each_line_is_a_memory_with_the_arguments_of_remember(tmp_path: Path) -> None:
    """Conversations come in this way: no key is made up, so equal words in two turns stay two items."""
    turn = {"content": "Hi.", "context": "conversation", "conversation_id": "c1", "role": "user", "date": "2026-02-13"}
    path = lines(
        tmp_path, turn | {"turn_index": 0}, turn | {"turn_index": 1, "author": "Ann", "tags": ["x"], "key": None}
    )
    where = path.resolve().as_posix()
    first = Memory(
        content="Hi.",
        context="conversation",
        conversation_id="c1",
        turn_index=0,
        role="user",
        date="2026-02-13",
        source="file",
        file_path=where,
    )
    second = Memory(**{**first.given(), "content": "Hi.", "turn_index": 1, "author": "Ann", "tags": ("x",)})
    assert read(path, context=None) == [first, second]


def test_a_line_may_say_where_it_comes_from(tmp_path: Path) -> None:
    """What the line gives is kept over what the reader would add."""
    memory = one(
        lines(tmp_path, {"content": "x", "source": "chat", "file_path": "log/7", "key": "k", "metadata": {"a": 1}})
    )
    assert (memory.source, memory.file_path, memory.key, memory.metadata) == ("chat", "log/7", "k", {"a": 1})


def test_blank_lines_and_line_separators_inside_text_are_harmless(tmp_path: Path) -> None:
    """Only a line feed ends a line: U+2028 may stand in JSON text as it is."""
    path = written(tmp_path, "a.jsonl", '\n{"content": "a\u2028b"}\r\n\n{"content": "c"}')
    assert [memory.content for memory in read(path, context=None)] == ["a\u2028b", "c"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"content": "x"', "not JSON"),
        ('["x"]', "not a JSON object"),
        ('{"title": "x"}', "content is missing"),
        ('{"content": null}', "content is missing"),
        ('{"content": " "}', "content is empty"),
        ('{"content": 5}', "content 5 is not a text"),
        ('{"content": "x", "speaker": "Ann", "project_id": "p"}', "project_id, speaker is not an argument"),
        ('{"content": "x", "turn_index": "3"}', "turn_index '3' is not a whole number"),
        ('{"content": "x", "turn_index": 1.5}', "turn_index 1.5 is not a whole number"),
        ('{"content": "x", "tags": "a"}', "tags 'a' is not a list"),
        ('{"content": "x", "context": "conversation", "turn_index": 1}', "conversation_id"),
        ('{"content": "x", "content": "y"}', "'content' is given twice"),
        ('{"content": "x", "importance": NaN}', "NaN is not a JSON number"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_wrong_line_refuses_the_file_naming_file_and_line(tmp_path: Path, line: str, said: str) -> None:
    """Nothing is half-read: the good first line does not come back either."""
    path = written(tmp_path, "a.jsonl", f'{{"content": "good"}}\n{line}\n')
    with pytest.raises(InvalidInput) as caught:
        read(path, context=None)
    assert "a.jsonl' line 2: " in str(caught.value)
    assert said in str(caught.value)


def test_values_are_typed_for_every_field_of_a_memory() -> None:
    """A field added to `Memory` must be refused in the wrong type here too, or it would be stored unchecked."""
    for item in fields(Memory):
        with pytest.raises(InvalidInput, match=f"here: {item.name} "):
            memory_from({"content": "x", item.name: {1, 2}}, where="here")


# Folders


def test_a_walk_finds_supported_files_in_order_and_counts_the_others(tmp_path: Path) -> None:
    """The same folder gives the same order on every machine, and a user can be told what was passed over."""
    for name in ("b.md", "B.TXT", "a/z.jsonl", "a/y.md", "film.MP4", "a/film.mp4", "Makefile"):
        written(tmp_path, name, "x")
    found = walk([tmp_path])
    root = tmp_path.resolve()
    assert [path.relative_to(root).as_posix() for path in found.files] == ["B.TXT", "a/y.md", "a/z.jsonl", "b.md"]
    assert found.skipped == {"media": 2, "no suffix": 1}
    assert {path.name: reason for path, reason in found.passed_over.items()} == {
        "Makefile": "no suffix",
        "film.MP4": "media",
        "film.mp4": "media",
    }


def test_a_file_named_in_two_ways_is_found_once(tmp_path: Path) -> None:
    """A folder and a file inside it, or a path with dots, must not double the work."""
    path = written(tmp_path, "a/x.md", "x")
    written(tmp_path, "a/x.mp4", "x")
    found = walk([tmp_path, path, tmp_path / "a" / ".." / "a"])
    assert (found.files, found.skipped) == ((path.resolve(),), {"media": 1})


def test_hidden_and_generated_folders_are_not_looked_at(tmp_path: Path) -> None:
    """What tools made or fetched is no memory; what the user named is, even if it is hidden."""
    for name in (".git/a.md", "node_modules/p/a.md", ".venv/a.md", "__pycache__/a.md", ".notes.md", ".x/b.md"):
        written(tmp_path, name, "x")
    assert walk([tmp_path]).files == ()
    assert walk([tmp_path]).skipped == {"generated": 2}
    assert walk([tmp_path / ".x"]).files == ((tmp_path / ".x" / "b.md").resolve(),)


def test_links_never_lead_out_of_the_named_folder(tmp_path: Path) -> None:
    """A folder from elsewhere must not be able to hand over the user's other files."""
    secret = written(tmp_path, "home/secret.md", "x")
    kept = written(tmp_path, "given/kept.md", "x")
    (tmp_path / "given" / "link.md").symlink_to(secret)
    (tmp_path / "given" / "folder").symlink_to(secret.parent)
    (tmp_path / "given" / "loop").symlink_to(tmp_path / "given")
    (tmp_path / "given" / "gone.md").symlink_to(tmp_path / "gone.md")
    found = walk([tmp_path / "given"])
    assert (found.files, found.skipped) == ((kept.resolve(),), {"symbolic link": 4})


def test_a_link_that_the_user_named_is_followed(tmp_path: Path) -> None:
    """Naming it is asking for it; the file is then known by its real path."""
    path = written(tmp_path, "real/a.md", "x")
    (tmp_path / "link").symlink_to(path.parent)
    assert walk([tmp_path / "link"]).files == (path.resolve(),)


def test_a_pipe_is_passed_over_and_a_missing_path_is_an_error(tmp_path: Path) -> None:
    """A wrong path on the command line must not look like an empty folder."""
    os.mkfifo(tmp_path / "pipe.txt")
    assert walk([tmp_path]).skipped == {"not a regular file": 1}
    with pytest.raises(NotFound, match="gone"):
        walk([tmp_path / "gone"])


def test_a_missing_path_costs_the_others_nothing(tmp_path: Path) -> None:
    """It is named, as its drive may not be mounted."""
    path = written(tmp_path, "a.md", "x")
    found = walk([tmp_path / "gone", path])
    assert (found.files, found.skipped) == ((path,), {"missing": 1})
    assert found.passed_over == {tmp_path / "gone": "missing"}


def test_supported_goes_by_suffix_whatever_its_case() -> None:
    """The list that messages show is the list that is read."""
    assert all(supported(Path("x" + suffix.upper())) for suffix in suffixes())
    assert not supported(Path("x.mp4"))
    assert not supported(Path("md"))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("# Shed\n\nThe nest box leaks. #robins #jobs/april", ("robins", "jobs/april")),
        ("#start of a line, and\n#Ende", ("start", "Ende")),
        ("Done, #paint, #glue; #nails. (not #)", ("paint", "glue", "nails")),
        ("`#code` and ``a `#b` c`` and #open", ("open",)),
        ("```sh\n#fenced\n```\n~~~\n#tilde\n~~~\n#after", ("after",)),
        ("Text:\n\n    #indented code\n\n#after", ("after",)),
        ("- a list\n\n    #within an entry", ("within",)),
        ("See http://x.example/#frag and a#b and x/#y", ()),
        ("[#shown](http://x.example/#frag) [[Plan#Berths]] [[#Here]] ![](a.png#w) [#r][1]", ()),
        (r"Not \#this, not ##that, not #12, not # blank", ()),
        ("#2026/05 #y1984 #a_b-c #Über/straße #🐝", ("2026/05", "y1984", "a_b-c", "Über/straße", "🐝")),
        ("#Moss and #moss", ("Moss",)),
        ("<!-- #hidden --> > quoted #quoted", ("quoted",)),
        ("## Heading with #tag in it", ("tag",)),
        ("| a | #cell |\n| - | - |", ("cell",)),
        ("---\ntags: [fern, Moss]\n---\nWet. #moss #lichen", ("fern", "Moss", "lichen")),
    ],
)
def test_tags_in_the_text_of_a_note_are_read_as_obsidian_has_them(
    tmp_path: Path, text: str, tags: tuple[str, ...]
) -> None:
    """Not in code, links, addresses and comments, and no numbers."""
    assert one(written(tmp_path, "note.md", text)).tags == tags
