"""The knowledge base that comes with the product: questions are answered from the assistant's documents.

Full-text search finds candidates; an answer must hold most of the question's content words, or, where the model of
sentences is installed, mean much the same. What the author's own `knowledge` claims is left to it.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from dialogue.engine.knowledge import Passage, Question
from dialogue.engine.language.compiler import Assistant as Definition
from dialogue.library.knowledge import full_text
from dialogue.models import Assistant, KnowledgePassage
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS
from dialogue.nlu.text.lexicons import lexicon_of
from dialogue.nlu.text.tokens import folded_words, fuzzy_equal
from dialogue.turns.nlu.understanding import chosen
from dialogue.turns.process.database import in_reader

MIN_COVERAGE = 0.6
"""The share of a question's content words that a passage must hold to answer it."""
MIN_COVERAGE_IF_SIMILAR, MIN_SIMILARITY = 0.3, 0.5
"""With the model of sentences, a smaller share is enough for a passage of this similarity."""
MAX_ANSWERS = 2
MIN_SHARE_OF_BEST = 0.9
MAX_COMPARED = 8
MAX_COMPARED_CHARACTERS = 400
MIN_STEM_LETTERS = 4


@dataclass(frozen=True)
class Candidate:
    """A passage with what speaks for it, from 0 to 1."""

    passage: KnowledgePassage
    coverage: float
    similarity: float = 0.0

    @property
    def score(self) -> float:
        return self.coverage + self.similarity

    @property
    def is_answer(self) -> bool:
        return self.coverage >= MIN_COVERAGE or (
            self.coverage >= MIN_COVERAGE_IF_SIMILAR and self.similarity >= MIN_SIMILARITY
        )


class DocumentKnowledge:
    """The knowledge port over an assistant's documents."""

    def __init__(self, assistant: Definition) -> None:
        self._assistant = assistant

    async def answer(self, question: Question) -> Sequence[Passage]:
        """At most two passages, of one document each, with title and heading as the source."""
        if question.topic in self._assistant.knowledge or not _is_asked(question):
            return ()
        return await in_reader(self._best_passages)(question.text)

    def _best_passages(self, text: str) -> Sequence[Passage]:
        home = Assistant.objects.filter(name=self._assistant.assistant).first()
        candidates = search_documents(home, text, self._assistant.language) if home else []
        answers = {
            candidate.passage.document_id: candidate.passage
            for candidate in reversed(candidates)
            if candidate.is_answer
        }
        best_first = [
            candidate.passage
            for candidate in candidates
            if answers.get(candidate.passage.document_id) is candidate.passage
        ]
        return [Passage(candidate.text, source=source_of(candidate)) for candidate in best_first[:MAX_ANSWERS]]


def search_documents(assistant: Assistant, text: str, language: str) -> list[Candidate]:
    """What the assistant's documents hold about a question, the likeliest answer first."""
    question_words = content_words(text)
    ids = full_text.find_passages(assistant.pk, question_words, language) if question_words else []
    rows = KnowledgePassage.objects.select_related("document").in_bulk(ids)
    candidates = [
        Candidate(rows[candidate], _coverage_of(question_words, rows[candidate]))
        for candidate in ids
        if candidate in rows
    ]
    ranked = sorted(candidates, key=lambda candidate: -candidate.score)
    if language.startswith("en") and chosen().use_embeddings:
        ranked = sorted(_with_similarity(text, ranked[:MAX_COMPARED]), key=lambda candidate: -candidate.score)
    best = ranked[0].score if ranked else 0.0
    return [candidate for candidate in ranked if candidate.score >= MIN_SHARE_OF_BEST * best]


def content_words(text: str) -> list[str]:
    """The folded words of a question that say what it is about."""
    return [word for word in dict.fromkeys(folded_words(text)) if word not in FUNCTION_WORDS]


def _is_asked(question: Question) -> bool:
    """While something is awaited, only a question is one: anything else is more likely an answer gone wrong."""
    first = next(iter(folded_words(question.text)), "")
    asks = question.text.rstrip().endswith("?") or first in lexicon_of(question.language).cues.question_words
    return asks or question.context.awaited is None


def _coverage_of(question_words: Sequence[str], passage: KnowledgePassage) -> float:
    passage_words = frozenset(folded_words(f"{passage.document.title} {passage.heading} {passage.text}"))
    return sum(_holds_word(passage_words, word) for word in question_words) / len(question_words)


def _holds_word(passage_words: Set[str], word: str) -> bool:
    return word in passage_words or any(_same_stem(word, other) or fuzzy_equal(word, other) for other in passage_words)


def _same_stem(one: str, other: str) -> bool:
    """Whether two words differ in their endings only: "renewed" and "renewal"."""
    stem = max(MIN_STEM_LETTERS, max(len(one), len(other)) - full_text.MAX_ENDING_LETTERS)
    return min(len(one), len(other)) >= stem and one[:stem] == other[:stem]


def _with_similarity(text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The same by meaning too."""
    from dialogue.nlu.text.embeddings.minilm import embed

    texts = [
        f"{candidate.passage.heading} {candidate.passage.text}"[:MAX_COMPARED_CHARACTERS] for candidate in candidates
    ]
    vectors = embed([text, *texts])
    similarities = vectors[1:] @ vectors[0]
    return [
        Candidate(candidate.passage, candidate.coverage, max(0.0, float(similarity)))
        for candidate, similarity in zip(candidates, similarities, strict=True)
    ]


def source_of(passage: KnowledgePassage) -> str:
    """The document's title and the heading, as customers read where an answer comes from."""
    title, heading = passage.document.title, passage.heading
    below = heading.removeprefix(title).removeprefix(" › ")
    return f"{title} › {below}" if below else title
