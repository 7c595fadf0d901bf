"""Client of Soni Admin: agents ask people, programs chat with assistants and decide sessions.

    client = Client("https://soni.example", token)
    source = {"name": "refunds", "thread": "t1"}
    answer = client.ask({"question": "Refund 420 €?"}, id="r-4711", source=source, timeout="30m", on_timeout="reject")

`AsyncClient` has the same calls for asyncio.
"""

from soni_client.async_client import AsyncClient
from soni_client.client import Client
from soni_client.errors import (
    BadRequest,
    Conflict,
    Gone,
    InvalidValues,
    NotAllowed,
    NotFound,
    NotSignedIn,
    RateLimited,
    Refusal,
    ServerFailed,
    SoniError,
    StillWaiting,
    TooLarge,
    Unreachable,
)
from soni_client.receipts import ReceiptRefused, verify_receipt
from soni_client.server_events import ServerEvent
from soni_client.shapes import AgentAnswer
from soni_client.webhooks import WebhookRefused, verify_webhook

__all__ = [
    "AgentAnswer",
    "AsyncClient",
    "BadRequest",
    "Client",
    "Conflict",
    "Gone",
    "InvalidValues",
    "NotAllowed",
    "NotFound",
    "NotSignedIn",
    "RateLimited",
    "ReceiptRefused",
    "Refusal",
    "ServerEvent",
    "ServerFailed",
    "SoniError",
    "StillWaiting",
    "TooLarge",
    "Unreachable",
    "WebhookRefused",
    "verify_receipt",
    "verify_webhook",
]
