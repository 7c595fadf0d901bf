"""Examples to copy, with this server's address in them: sign a visitor, chat through the API, ask for an agent.

Those of curl and the ones that sign need no library; the others use the clients of this repository.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PYTHON = '''import base64
import hashlib
import hmac
import json
import os
import time


def visitor_token(ref, name):
    """Good for ten minutes. `ref` is your own id of the customer."""
    claims = {"sub": ref, "name": name, "exp": int(time.time()) + 600}
    signed = part({"alg": "HS256", "typ": "JWT"}) + "." + part(claims)
    secret = os.environ["SONI_SIGNING_SECRET"].encode()
    digest = hmac.digest(secret, signed.encode(), "sha256")
    return signed + "." + text(digest)


def part(value):
    return text(json.dumps(value).encode())


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
'''

JAVASCRIPT = """import { createHmac } from "node:crypto";

const part = value => Buffer.from(JSON.stringify(value)).toString("base64url");

// Good for ten minutes. `ref` is your own id of the customer.
export function visitorToken(ref, name) {
  const claims = { sub: ref, name, exp: Math.floor(Date.now() / 1000) + 600 };
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  const signature = createHmac("sha256", process.env.SONI_SIGNING_SECRET).update(signed);
  return `${signed}.${signature.digest("base64url")}`;
}
"""

SHELL = """text() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

CLAIMS="{\\"sub\\": \\"c_2087\\", \\"name\\": \\"Hannah Okafor\\", \\"exp\\": $(($(date +%s) + 600))}"
SIGNED="$(printf '{"alg": "HS256", "typ": "JWT"}' | text).$(printf '%s' "$CLAIMS" | text)"
TOKEN="$SIGNED.$(printf '%s' "$SIGNED" | openssl dgst -sha256 -hmac "$SONI_SIGNING_SECRET" -binary | text)"

curl -s {address}api/v1/conversations -H 'Content-Type: application/json' \\
     -d "{\\"assistant\\": \\"{assistant}\\", \\"user_token\\": \\"$TOKEN\\"}"
"""


CHAT_SHELL = """# Begin a conversation; the answer has its id and a token for it.
curl -s {address}api/v1/conversations -H "Authorization: Bearer $SONI_TOKEN" \\
     -H 'Content-Type: application/json' -d '{"assistant": "{assistant}"}'

# Say something in it, with the conversation's token.
curl -s {address}api/v1/conversations/$CONVERSATION/messages -H "Authorization: Bearer $CHAT_TOKEN" \\
     -H 'Content-Type: application/json' -d '{"id": "m1", "text": "Hello"}'
"""

CHAT_PYTHON = """import os

from soni_client import Client

client = Client("{address}", os.environ["SONI_TOKEN"])
chat = client.conversations.begin("{assistant}")
for message in chat.send("Hello")["messages"]:
    print(message["text"])
"""

CHAT_JAVASCRIPT = """import { Client } from "./soni-client.js";

const client = new Client("{address}", process.env.SONI_TOKEN);
const chat = await client.conversations.begin("{assistant}");
for (const message of (await chat.send("Hello")).messages) console.log(message.text);
"""

AGENT_SHELL = """# Ask, under an id of your own.
curl -s {address}api/v1/requests -H "Authorization: Bearer $SONI_TOKEN" -H 'Content-Type: application/json' -d '{
  "id": "refund-4711", "dialect": "plain",
  "ask": {"question": "May I refund 420 €?", "actions": ["approve", "reject"]},
  "source": {"name": "refunds", "thread": "th_7d21c9"}, "timeout": "30m", "on_timeout": "reject"}'

# Wait up to 30 seconds for the answer; while "state" is "waiting", ask again.
curl -s "{address}api/v1/requests/refund-4711?wait=30" -H "Authorization: Bearer $SONI_TOKEN"
"""

AGENT_PYTHON = """import os

from soni_client import Client

client = Client("{address}", os.environ["SONI_TOKEN"])
answer = client.ask(
    {"question": "May I refund 420 €?", "actions": ["approve", "reject"]},
    id="refund-4711",
    source={"name": "refunds", "thread": "th_7d21c9"},
    timeout="30m",
    on_timeout="reject",
)
print(answer.state, answer.answer, answer.decided_by)
"""

AGENT_JAVASCRIPT = """import { Client } from "./soni-client.js";

const client = new Client("{address}", process.env.SONI_TOKEN);
const answer = await client.ask({ question: "May I refund 420 €?", actions: ["approve", "reject"] }, {
  id: "refund-4711", source: { name: "refunds", thread: "th_7d21c9" }, timeout: "30m", on_timeout: "reject",
});
console.log(answer.state, answer.answer, answer.sessions);
"""


@dataclass(frozen=True)
class Example:
    """One example; `name` is what the address calls it."""

    name: str
    title: str
    code: str


CODES = {
    "widget": {"python": PYTHON, "javascript": JAVASCRIPT, "curl": SHELL},
    "api": {"curl": CHAT_SHELL, "python": CHAT_PYTHON, "javascript": CHAT_JAVASCRIPT},
    "agents": {"curl": AGENT_SHELL, "python": AGENT_PYTHON, "javascript": AGENT_JAVASCRIPT},
}
"""The code of each tab of the page by language, in the order of the page."""
TITLES = {"python": "Python", "javascript": "JavaScript", "curl": "curl"}


def examples(address: str, assistant: str, part: str = "widget") -> list[Example]:
    """The examples of a part for an assistant of the server at `address`, which ends with a slash."""
    filled = {"{address}": address, "{assistant}": assistant}
    return [Example(name, TITLES[name], _fill(code, filled)) for name, code in CODES[part].items()]


def _fill(code: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        code = code.replace(name, value)
    return code


@dataclass(frozen=True)
class Look:
    """How the chat looks on a site, as the snippet says it; "" is the widget's own choice."""

    brand: str = ""
    theme: str = ""
    corner: str = ""

    @classmethod
    def of_query(cls, query: Mapping[str, str]) -> "Look":
        """Read the page's query. What is no colour, theme or corner is left out."""
        brand = query.get("brand", "").strip().lower()
        theme, corner = query.get("theme", ""), query.get("corner", "")
        return cls(
            brand if COLOUR.fullmatch(brand) and brand != DEFAULT_BRAND else "",
            theme if theme in ("light", "dark") else "",
            corner if corner == "left" else "",
        )


COLOUR = re.compile(r"#[0-9a-f]{6}")
DEFAULT_BRAND = "#0b6656"


def snippet(script: str, assistant: str, look: Look = Look()) -> str:
    """The line that a site writes before `</body>`."""
    chosen = "".join(f' data-{name}="{value}"' for name, value in vars(look).items() if value)
    return f'<script async src="{script}" data-assistant="{assistant}"{chosen}></script>'
