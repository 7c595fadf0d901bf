"""Answer bodies of the calls on assistants, their flows and releases."""

from pydantic import Field

from dialogue.web.api.answers.parts import AnswerBody, JsonObject, Moment


class ProblemWords(AnswerBody):
    """A finding in the caller's language; the last two name fields, not keys."""

    text: str
    advice: str
    field_text: str
    field_advice: str


class Finding(AnswerBody):
    """What the verifier says of a place."""

    code: str
    rule: str
    severity: str
    path: str
    file: str
    line: int
    column: int
    text: str
    advice: str
    meant: str
    words: ProblemWords


class CheckedText(AnswerBody):
    """The findings of a text, its graph (or a sketch of it) and its values."""

    problems: list[Finding]
    graph: JsonObject | None
    sketch: JsonObject | None = None
    document: JsonObject | None


class FlowDraft(AnswerBody):
    """The caller's own unsaved text."""

    text: str
    base_version: int
    at: Moment


class SavedFlow(AnswerBody):
    """A saved text with its version; 0 is a flow that was never saved."""

    flow: str
    version: int
    text: str
    author: str
    note: str
    at: Moment | None


class OpenedFlow(SavedFlow):
    """A saved text, and the caller's draft."""

    archived: bool
    draft: FlowDraft | None


class TheirVersion(AnswerBody):
    """The version that another person saved."""

    version: int
    text: str
    author: str
    note: str
    at: Moment | None


class StaleVersion(AnswerBody):
    """Another person saved since `base_version`."""

    code: str
    detail: str
    theirs: TheirVersion


class FlowProblemsAnswer(AnswerBody):
    """The text is kept as a draft; it has problems."""

    code: str
    detail: str
    problems: list[Finding]


class KeptDraft(AnswerBody):
    """The draft is stored."""

    flow: str
    kept: bool


class TextChange(AnswerBody):
    """A change of a text; positions count in UTF-16."""

    begin: int = Field(alias="from")
    end: int = Field(alias="to")
    insert: str


class GraphChanges(AnswerBody):
    """The smallest changes, and the step to select."""

    changes: list[TextChange]
    select: str


class ValueChanges(CheckedText):
    """The smallest changes, and the findings of the changed text."""

    changes: list[TextChange]


class FormattedText(AnswerBody):
    """The same document in even form."""

    text: str


class Release(AnswerBody):
    """A published release."""

    number: int
    active: bool
    note: str
    sha256: str
    published_by: str | None
    published_at: Moment


class PublishedRelease(Release):
    """`warnings` name groups and roles without people."""

    warnings: list[str]


class ReleasePage(AnswerBody):
    """A page of releases."""

    releases: list[Release]
    next: str | None
