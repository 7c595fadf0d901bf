"""The example of docs/webhooks.md: its check of a signature takes what the product sends, and nothing else."""

import re
import time
from pathlib import Path
from typing import Any

from dialogue.desk.webhooks.signed_posts import signature_of

GUIDE = Path("docs/webhooks.md").read_text()
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def block(name: str) -> str:
    match = re.search(rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)```", GUIDE, re.DOTALL)
    assert match is not None
    return match[1]


def test_the_check_in_the_guide_takes_our_signature_and_refuses_an_altered_late_or_foreign_one():
    written: dict[str, Any] = {}
    exec(block("verify.py"), written)
    body, now = block("body.json").strip().encode(), int(time.time())

    def headers(secret: str = SECRET, seconds: int = now) -> dict[str, str]:
        signature = signature_of(secret, "msg_1", seconds, body)
        both = f"{signature_of('whsec_' + 'b2xk' * 8, 'msg_1', seconds, body)} {signature}"
        return {"webhook-id": "msg_1", "webhook-timestamp": str(seconds), "webhook-signature": both}

    is_genuine = written["is_genuine"]
    assert is_genuine(SECRET, headers(), body)
    assert not is_genuine(SECRET, headers(), body + b" ")
    assert not is_genuine(SECRET, headers(seconds=now - 3600), body)
    assert not is_genuine(SECRET, {**headers(), "webhook-id": "msg_2"}, body)
    assert not is_genuine(SECRET, headers("whsec_" + "eHl6" * 8), body)
