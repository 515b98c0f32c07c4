"""What a user may rely on when long content is cut into chunks."""

from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.interface.memory import Memory
from core.records import Chunk
from core.search import TokenBounds, Tokenizer
from ingest.intake.chunker import MAX_PREFIX_TOKENS, MAX_SECTION_TOKENS, chunk_prefix, split_into_chunks
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.models.tokenizer import WordPieces
from tests.own_time import own_time

WORDS = "The committee agreed on the quarterly budget after a long discussion about hiring plans".split()
NARROW = WordPieces(window_tokens=40, window_bytes=4_000)
WIDE = WordPieces(window_tokens=8_000, window_bytes=1_000_000)


def prose(words: int) -> str:
    return " ".join(WORDS[number % len(WORDS)] + ("." if number % 17 == 16 else "") for number in range(words))


def chunks_of(content: str, tokenizer: Tokenizer = NARROW, **fields: str) -> list[Chunk]:
    chunks, _ = split_into_chunks("art_000000000000", Memory.from_fields(content, fields), tokenizer)
    return chunks


def assert_faithful(content: str, chunks: list[Chunk], tokenizer: WordPieces) -> None:
    """Chunks are slices in order, leave no character out, and each fits the window with its prefix."""
    reached = 0
    for number, chunk in enumerate(chunks):
        assert chunk.index == number
        assert chunk.text == content[chunk.start_char : chunk.end_char]
        assert chunk.text
        assert chunk.start_char <= reached < chunk.end_char
        assert tokenizer.count(chunk.embedded_text) <= tokenizer.window_tokens
        assert len(chunk.embedded_text.encode()) <= tokenizer.window_bytes
        reached = chunk.end_char
    assert reached == len(content)


PIECES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.sampled_from(
        [
            " ", "\n", "\r\n", "\n\n", "\r\n\r\n", ". ", "。", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u200b",
            "\u200d", "\u3000", "word", "supercalifragilistic", "un", "##ing", "[SEP]", "한국어", "漢字", "かな",
            "กำลัง",
            "e\u0301", "\u0301", "👩‍👩‍👧‍👦", "😀", "\x00", "\ufffd", "\U0002f800", "ﷺ", "İ", "www.example.com/a_b", "—",
        ]
    ),
)  # fmt: skip
RUNS = st.builds(lambda piece, times: piece * times, PIECES, st.sampled_from([1, 1, 2, 7, 60, 300]))
TEXTS = st.lists(RUNS, min_size=1, max_size=8).map("".join).filter(str.strip)


@settings(max_examples=100, deadline=None)
@given(content=TEXTS)
def test_no_character_is_lost_and_every_chunk_fits_the_window(content: str) -> None:
    """docs/interface.md `remember`: nothing is ever silently truncated, and offsets reproduce the source exactly."""
    assert_faithful(content, chunks_of(content), NARROW)


@settings(max_examples=40, deadline=None)
@given(content=TEXTS, title=TEXTS.map(lambda text: text[:2_000]).filter(str.strip))
def test_a_prefix_of_any_size_leaves_room_for_the_text(content: str, title: str) -> None:
    """A title may have 2,000 characters of any script, and the embedder still sees each chunk whole."""
    assert_faithful(content, chunks_of(content, title=title), NARROW)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "content",
    [
        "a" * 10_000,
        "antidisestablishmentarianism" * 400,
        "한국어를배우는학생들이많아지고있다" * 300,
        "한" * 3_000,
        "漢字かな交じり文" * 400,
        "👩‍👩‍👧‍👦" * 2_000,
        "e\u0301" * 4_000,
        "\u0301" * 3_000,
        "ภาษาไทยไม่มีช่องว่าง" * 300,
        "begin" + "\u3000" * 20_000 + "end",
        " " * 5_000 + "x",
        "x\r\n\r\n" * 3_000,
        "!?" * 3_000,
        "\x00" * 3_000,
        "ab\x0ccd" * 2_000,
        "Ǆ﷽ﬃ" * 1_000,
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_the_local_embedder_takes_every_chunk_of_nasty_text(content: str, embedder: LocalEmbedder) -> None:
    """`embed` refuses texts over its window, so a chunk that it refuses could never be found by meaning."""
    chunks = chunks_of(content, embedder.tokenizer, title="標題 " + "t" * 1_500)
    assert_faithful(content, chunks, embedder.tokenizer)
    sample = [chunk.indexed_text for chunk in (*chunks[:2], *chunks[-2:])]
    assert embedder.embed(sample).shape == (len(sample), embedder.dimension)


def test_the_window_is_900_tokens_with_100_overlapping() -> None:
    """docs/interface.md `remember`: chunks of at most 900 tokens with 100 overlapping, where the embedder sees that
    many."""
    content = " ".join(["word"] * 5_000)
    chunks = chunks_of(content, WIDE)
    assert [chunk.token_count for chunk in chunks[:-1]] == [900] * (len(chunks) - 1)
    for before, after in pairwise(chunks):
        assert WIDE.count(content[after.start_char : before.end_char]) == 100


def test_a_long_text_without_blanks_is_read_in_parts_that_end_between_words() -> None:
    """Half a word has other tokens, so a chunk over the end of such a part would have more than were counted."""
    chunks = chunks_of("www.example.com/a_b" * 300 + "word" * 300 + "www.example.com/a_b" * 300, title="x")
    assert max(NARROW.count(chunk.embedded_text) for chunk in chunks) <= NARROW.window_tokens


def test_text_without_blanks_overlaps_as_well() -> None:
    """A sentence that a cut goes through is whole in the next chunk, in scripts without blanks too."""
    for content in ("漢字文章記憶" * 500, "abcdefgh" * 800, "ภาษาไทย" * 300):
        chunks = chunks_of(content, WordPieces(window_tokens=180, window_bytes=100_000))
        assert len(chunks) > 2
        for before, after in pairwise(chunks):
            assert before.end_char - after.start_char >= 8


def test_chunks_begin_and_end_between_words() -> None:
    """Half a word is found neither by word nor by meaning."""
    content = prose(2_000)
    for chunk in chunks_of(content):
        assert chunk.start_char == 0 or content[chunk.start_char - 1] == " "
        assert chunk.end_char == len(content) or content[chunk.end_char - 1] == " "


@pytest.mark.parametrize("paragraph", ["\n\n", "\r\n\r\n"])
def test_a_chunk_ends_at_a_paragraph_rather_than_at_a_sentence(paragraph: str) -> None:
    """What belongs together stays together as far as the window allows."""
    one = "Alpha beta gamma delta. Epsilon zeta eta theta iota." + paragraph
    content = one * 6
    first = chunks_of(content, WordPieces(window_tokens=48, window_bytes=10_000))[0]
    assert first.text.endswith(paragraph)


def test_a_paragraph_that_ends_early_leaves_the_chunk_long() -> None:
    """A break in the first half would fill the index with short chunks: the last sentence that fits is better."""
    content = "Agenda.\n\n" + "Alpha beta gamma delta. " * 30
    first = chunks_of(content, WordPieces(window_tokens=48, window_bytes=10_000))[0]
    assert first.text.endswith("delta. ")
    assert first.token_count > 0.8 * 48


def test_short_content_is_one_chunk_of_all_of_it() -> None:
    """White space at both ends included, so that the chunk is the content."""
    content = "  A short note.\n"
    assert chunks_of(content) == [Chunk("art_000000000000", 0, 0, len(content), content, "", 4)]


def test_white_space_around_the_content_counts_toward_the_byte_window() -> None:
    """Blanks of three bytes each in front of the first word must not push the chunk over the window."""
    tokenizer = WordPieces(window_tokens=40, window_bytes=1_500)
    content = ("\u3000" * 99 + "漢") * 60
    assert_faithful(content, chunks_of(content, tokenizer), tokenizer)


def test_chunks_bound_by_bytes_do_not_repeat_most_of_each_other() -> None:
    """A token may stand for 400 bytes; repeating 28 tokens of 25 would multiply the text."""
    tokenizer = WordPieces(window_tokens=254, window_bytes=8_000)
    content = "😀" * 40_000
    chunks = chunks_of(content, tokenizer)
    assert_faithful(content, chunks, tokenizer)
    assert sum(len(chunk.text) for chunk in chunks) < 1.5 * len(content)


@pytest.mark.parametrize(
    ("fields", "prefix"),
    [
        ({"title": "Budget"}, "Budget\n"),
        ({"title": "Budget", "date": "2026-05-15"}, "[15 May 2026] Budget\n"),
        ({"document_date": "2026-05-15"}, "[15 May 2026] "),
        ({}, ""),
        ({"context": "conversation", "author": "Dan", "role": "user", "date": "2026-05-15T09Z"}, "[15 May 2026] Dan: "),
        ({"context": "conversation", "role": "assistant"}, "assistant: "),
        ({"context": "conversation", "date": "2026-01-15"}, "[15 January 2026] "),
        ({"context": "conversation", "author": "Dana", "date": " 20260115T093000"}, "[15 January 2026] Dana: "),
        ({"key": "auth-flow", "context": "stash"}, "auth-flow\n"),
        ({"key": "auth-flow", "title": "Login", "date": "2026-05-15"}, "[15 May 2026] auth-flow\nLogin\n"),
        ({"key": "Login", "title": "Login"}, "Login\n"),
        ({"key": "notes/a.md", "file_path": "notes/a.md", "title": "Login"}, "Login\n"),
        ({"context": "conversation", "key": "opening", "author": "Dan"}, "opening\nDan: "),
        ({"context": "conversation", "key": "opening", "title": "Not for turns"}, "opening\n"),
    ],
)  # fmt: skip
def test_the_prefix_names_the_day_the_key_and_the_title_or_speaker(fields: dict[str, str], prefix: str) -> None:
    """A chunk says what it is from: a question with words of its key or title, or the speaker's name, finds it."""
    turn = {"conversation_id": "c", "turn_index": 0} if fields.get("context") == "conversation" else {}
    assert chunk_prefix(Memory.from_fields("Some text.", fields | turn), WIDE) == prefix


def test_a_name_that_opens_the_content_is_not_indexed_twice() -> None:
    """A heading repeated would count twice for words."""
    assert chunk_prefix(Memory(content="Budget: too small.", key="Budget"), WIDE) == ""
    assert chunk_prefix(Memory(content="# Budget\n\nText.", title="Budget"), WIDE) == ""


def test_words_alone_see_the_title_that_the_content_begins_with_in_every_chunk() -> None:
    """A question that names the document finds what stands far from its heading; the embedder keeps all of its room."""
    content = f"# Plan \u27e7 B\n\nToday.\n\n## Costs\n\n{prose(80)}"
    chunks = chunks_of(content, title="Plan \u27e7 B", date="2026-05-15")
    bare = chunks_of(content, date="2026-05-15")
    assert chunks[0].prefix == "[15 May 2026] "
    assert {chunk.prefix for chunk in chunks[1:]} == {"[15 May 2026] \u27e6Plan   B\u27e7\nCosts\n"}
    assert [chunk.embedded_text for chunk in chunks] == [chunk.embedded_text for chunk in bare]
    assert chunks[1].embedded_text.startswith("Costs\n")


def test_a_long_title_is_cut_and_still_apart_from_the_text() -> None:
    """The last word of a cut title must not grow together with the first word of the text."""
    prefix = chunk_prefix(Memory(content="Text.", title="many words " * 100), WIDE)
    assert WIDE.count(prefix) == MAX_PREFIX_TOKENS
    assert prefix.endswith("words\n")


def test_a_chunk_names_the_section_that_it_begins_in() -> None:
    """A question with the heading's words finds each part of a long section, not only the one below the heading."""
    content = f"# Plan\n\n{prose(60)}\n\n## Costs and hiring ##\n\n{prose(80)}\n\n## End\n\nShort."
    chunks = chunks_of(content, title="Plan")
    assert_faithful(content, chunks, NARROW)
    heading = content.index("## Costs")
    for chunk in chunks:
        if chunk.start_char > heading and "## End" not in content[: chunk.start_char]:
            assert chunk.prefix == "\u27e6Plan\u27e7\nCosts and hiring\n"
    assert {chunk.prefix for chunk in chunks if chunk.start_char < heading} == {"", "Plan\n"}
    assert chunks[0].prefix == ""


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(parts=st.lists(st.tuples(TEXTS.map(lambda text: text[:300]), TEXTS), min_size=1, max_size=4))
def test_headings_of_any_size_leave_room_for_the_text(parts: list[tuple[str, str]]) -> None:
    """Whatever stands in a heading, each chunk fits the window with it."""
    content = "\n".join(f"# {heading}\n{text}" for heading, text in parts)
    assert_faithful(content, chunks_of(content), NARROW)


class Asked(WordPieces):
    """Counts how often it is asked."""

    times = 0

    def token_bounds(self, text: str) -> TokenBounds:
        self.times += 1
        return super().token_bounds(text)


def test_the_chunks_of_a_long_word_are_checked_together() -> None:
    """Each time a text is read costs a wait for every busy thread, so that many short ones would take seconds."""
    tokenizer = Asked(window_tokens=254, window_bytes=100_000)
    chunks = chunks_of("a" * 160_000, tokenizer)
    assert len(chunks) > 300
    assert tokenizer.times < 20


def test_a_heading_may_be_cut_at_a_character_of_several_tokens() -> None:
    """All of them count, also where another heading is longer in bytes."""
    headings = ("Additional general information about everything", "b b b b \ud55c \uae00")
    content = "\n".join(f"# {heading}\n" + "word " * 300 for heading in headings)
    assert_faithful(content, chunks_of(content), NARROW)


def test_a_heading_that_ends_with_a_character_of_several_tokens_is_counted_with_all_of_them() -> None:
    """Uncut, too, it leaves room for the text of its section."""
    content = "# a b c d e f g h\nOne.\n# 한국\n" + "% " * 100
    assert_faithful(content, chunks_of(content), NARROW)


def test_a_long_heading_is_cut() -> None:
    """It takes a small part of the window and stays apart from the text."""
    content = f"# {'many words ' * 100}\n" + "\n".join(prose(17) for _ in range(200))
    last = chunks_of(content, WIDE)[-1]
    assert WIDE.count(last.prefix) <= MAX_SECTION_TOKENS
    assert last.prefix.endswith("\n")


def test_turns_have_no_sections() -> None:
    """What is said in a conversation is not a document, even with a sign that begins a heading."""
    turn = {"context": "conversation", "conversation_id": "c", "turn_index": 0, "author": "Ann"}
    chunks, _ = split_into_chunks("art_000000000000", Memory.from_fields(f"# One\n{prose(200)}", turn), NARROW)
    assert {chunk.prefix for chunk in chunks} == {"Ann: "}


def test_a_long_speaker_keeps_the_colon() -> None:
    """The same holds for turns."""
    turn = Memory(content="Hi.", context="conversation", conversation_id="c", turn_index=0, author="Ann " * 100)
    prefix = chunk_prefix(turn, WIDE)
    assert prefix.endswith("Ann: ")
    assert WIDE.count(prefix) == MAX_PREFIX_TOKENS


@pytest.mark.exhaustive
@pytest.mark.parametrize("shape", ["prose", "unbroken", "blank", "lines"])
def test_the_time_to_split_grows_with_the_length(shape: str) -> None:
    """Ten million characters are allowed, so twice the text may take about twice as long and no more."""
    texts = {
        "prose": prose(8_000),
        "unbroken": "漢字" * 10_000,
        "blank": "a" + " " * 60_000 + "b",
        "lines": "x\n" * 10_000,
    }
    text = texts[shape]
    once, four_times = (own_time(partial(chunks_of, content, WIDE)) for content in (text, text * 4))
    assert four_times < 10 * once + 0.2
