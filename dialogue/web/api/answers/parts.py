"""Parts of answer bodies that several calls have.

The models describe answers in the OpenAPI document. No answer is made from them.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

COMPONENT = "x-component"
"""Stands for a reference to a schema that is not made from a model; its value is the schema's name."""

Line = Annotated[dict[str, Any], WithJsonSchema({COMPONENT: "Message"})]
Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"}, examples=["2026-11-23T21:40:00+00:00"])]
JsonObject = dict[str, Any]


class AnswerBody(BaseModel):
    """The body of an answer."""

    model_config = ConfigDict(defer_build=True)


class Choice(AnswerBody):
    """A button: the value that `choice` sends, and its label."""

    value: Any
    label: str


class PendingSession(AnswerBody):
    """A session that the conversation waits for. Staff get `flow` and the keys below it too.

    `opened_at` and `expires_at` of what staff decide are for the customer too.
    """

    session: Annotated[str, Field(examples=["g12"])]
    kind: str
    audience: Annotated[str, Field(examples=["user", "staff"])]
    choices: list[Choice] | None = None
    metadata: JsonObject | None = None
    opened_at: Moment | None = None
    expires_at: Moment | None = None
    flow: str | None = None
    step: str | None = None
    title: str | None = None
    state: str | None = None
    version: int | None = None


class StackFrame(AnswerBody):
    """A flow on the stack with its step and slots; sensitive values are masked."""

    flow: str
    step: str | None
    awaiting: Any
    status: str
    slots: JsonObject
    waits: JsonObject | None = None


class Key(AnswerBody):
    """A public key; receipts that a retired key signed stay valid."""

    name: str
    public_key: str
    created_at: Moment
    retired_at: Moment | None


class Keys(AnswerBody):
    """The public keys of the receipts."""

    keys: list[Key]


class ChainPlace(AnswerBody):
    """The place in the audit chain."""

    name: str
    number: int
    sha256: str


class Agreement(AnswerBody):
    """A person who agreed before the one who decided; `number` is the place in the receipt's chain."""

    by: str
    account: int | None
    at: Moment
    number: int


class ReceiptPayload(AnswerBody):
    """What was asked, and who decided what, by which right, where and when.

    `token` is there for a decision by an API token that names one, `agreed` where several people had to agree.
    """

    receipt: int
    key: str
    installation: str
    session: str
    id: str
    question: str
    flow: str
    step: str
    release_sha256: str
    form_sha256: str
    shown_sha256: str
    sent_sha256: str
    state: str
    action: str
    decided_by: str
    account: int | None
    permission: str
    through: str
    token: str = ""
    decided_at: Moment
    agreed: list[Agreement] = []
    chain: ChainPlace


class Receipt(AnswerBody):
    """A signed statement of a decision; the signature (Ed25519) is over the payload as canonical JSON."""

    payload: ReceiptPayload
    signature: str
