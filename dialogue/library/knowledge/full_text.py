"""Full-text search over the passages of an assistant's documents: FTS5 on SQLite, tsvector on PostgreSQL.

Both find what holds any of the words, the best match first; what counts as an answer is judged by `knowledge`.
"""

from collections.abc import Iterable, Sequence

from django.db import connection

from dialogue.models import KnowledgePassage
from dialogue.nlu.text.tokens import fold

MAX_MATCHES = 20
MIN_PREFIX_LETTERS = 4
"""Letters of a word by which its other forms are found too; "abierto" by "abie"."""
MAX_ENDING_LETTERS = 3
CONFIGURATIONS = {"en": "english", "es": "spanish", "de": "german", "fr": "french", "it": "italian", "pt": "portuguese"}

_SQLITE = (
    "SELECT passage.id FROM dialogue_passagesearch AS search"
    " JOIN dialogue_knowledgepassage AS passage ON passage.id = search.rowid"
    " JOIN dialogue_knowledgedocument AS document ON document.id = passage.document_id"
    " WHERE dialogue_passagesearch MATCH %s AND document.assistant_id = %s"
    " ORDER BY bm25(dialogue_passagesearch, 4.0, 1.0) LIMIT %s"
)
_POSTGRES = (
    "SELECT passage.id FROM dialogue_knowledgepassage AS passage"
    " JOIN dialogue_knowledgedocument AS document ON document.id = passage.document_id,"
    " to_tsquery(%s::regconfig, %s) AS query"
    " WHERE passage.search @@ query AND document.assistant_id = %s"
    " ORDER BY ts_rank_cd(passage.search, query) DESC, passage.id LIMIT %s"
)
_INDEX = (
    "UPDATE dialogue_knowledgepassage SET search = setweight(to_tsvector(%s::regconfig, %s), 'A')"
    " || setweight(to_tsvector(%s::regconfig, %s), 'B') WHERE id = %s"
)


def index_passages(passages: Iterable[KnowledgePassage], language: str) -> None:
    """Make stored passages findable, with and without accents; on SQLite triggers have done so."""
    if connection.vendor == "postgresql":
        name = configuration_of(language)
        rows = [(name, fold(passage.heading), name, fold(passage.text), passage.pk) for passage in passages]
        with connection.cursor() as cursor:
            cursor.executemany(_INDEX, rows)


def find_passages(assistant: int, words: Iterable[str], language: str) -> list[int]:
    """The ids of the passages of an assistant that hold any of these folded words, the best match first."""
    search_words = [word for word in dict.fromkeys(words) if word.isalnum()]
    if not search_words:
        return []
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_POSTGRES, [configuration_of(language), _tsquery(search_words), assistant, MAX_MATCHES])
        else:
            cursor.execute(_SQLITE, [_fts5_query(search_words), assistant, MAX_MATCHES])
        return [row[0] for row in cursor.fetchall()]


def configuration_of(language: str) -> str:
    """PostgreSQL's text search configuration for a language."""
    return CONFIGURATIONS.get(language.split("-", maxsplit=1)[0], "simple")


def _fts5_query(words: Sequence[str]) -> str:
    """Words and the beginnings of longer ones, in FTS5's own query language; quoted, none of them is an operator."""
    return " OR ".join(
        part for word in words for part in (f'"{word}"', *(f'"{prefix}"*' for prefix in _prefixes_of(word)))
    )


def _tsquery(words: Sequence[str]) -> str:
    return " | ".join(part for word in words for part in (word, *(f"{prefix}:*" for prefix in _prefixes_of(word))))


def _prefixes_of(word: str) -> Sequence[str]:
    return (word[: max(MIN_PREFIX_LETTERS, len(word) - MAX_ENDING_LETTERS)],) if len(word) > MIN_PREFIX_LETTERS else ()
