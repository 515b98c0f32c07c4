"""The full-text indexes of the file and the tables of its words, as steps of graph.sqlite_store.database.schema."""

from typing import Final

#: The text of a chunk `c`: empty in its row where it is the whole content of its item.
CHUNK_TEXT: Final = "coalesce(nullif(c.text, ''), (SELECT o.content FROM contents o WHERE o.item = c.item), '')"

# `separate_unspaced` and `sign_words` are registered on every connection (graph.text.tokens,
# graph.text.term_vectors).
WORDS: Final = """
CREATE VIEW indexed_chunks AS SELECT id, separated(prefix) AS prefix, separated(text) AS text,
    sign_words(prefix || text) AS signs FROM chunks;
CREATE VIRTUAL TABLE words USING fts5 (
    prefix, text, signs,
    content = 'indexed_chunks', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER chunks_inserted AFTER INSERT ON chunks BEGIN
    INSERT INTO words (rowid, prefix, text, signs)
        SELECT id, prefix, text, signs FROM indexed_chunks WHERE id = new.id;
END;
CREATE TRIGGER chunks_deleted BEFORE DELETE ON chunks BEGIN
    INSERT INTO words (words, rowid, prefix, text, signs)
        SELECT 'delete', id, prefix, text, signs FROM indexed_chunks WHERE id = old.id;
END;
-- Stashed items only. `trigrams` answers fragments of three characters and more, `grams` (each character and each pair
-- that an item has, as one word) the shorter ones; both hold text as graph.sqlite_store.database.full_text.folded
-- leaves it.
CREATE VIRTUAL TABLE trigrams USING fts5 (content, content = '', columnsize = 0, tokenize = 'trigram');
CREATE VIRTUAL TABLE grams USING fts5 (grams_of, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
-- How many chunks of a project have a term of `graph.text.term_vectors`, and the word or sign that it stands for; and
-- the numbers under which `graph.text.term_vectors` finds it.
CREATE TABLE terms (
    project INTEGER NOT NULL,
    term INTEGER NOT NULL,
    num_chunks INTEGER NOT NULL,
    word TEXT,
    PRIMARY KEY (project, term)
) WITHOUT ROWID;
CREATE TABLE spellings (
    project INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    term INTEGER NOT NULL,
    PRIMARY KEY (project, variant, term)
) WITHOUT ROWID;
"""

# The further words of texts in other languages than English (graph.text.languages), for chunks written with them.
LANGUAGES: Final = """
DROP VIEW indexed_chunks;
CREATE VIEW indexed_chunks AS SELECT id, separated(prefix) AS prefix, separated(text) AS text,
    sign_words(prefix || text, terms) AS signs FROM chunks;
"""

# The writer of chunks makes the words of the entries beforehand.
ENTRIES_OF_WRITER: Final = "DROP TRIGGER chunks_inserted;"

# A chunk that is the whole content of its item has no text of its own.
WHOLE_CONTENTS: Final = f"""
DROP VIEW indexed_chunks;
CREATE VIEW indexed_chunks AS SELECT id, separated(prefix) AS prefix, separated(text) AS text,
    sign_words(prefix || text, terms) AS signs FROM (
        SELECT c.id, c.prefix, {CHUNK_TEXT} AS text, c.terms FROM chunks c
    );
"""
