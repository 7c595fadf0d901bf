"""Examples for the server of a site: sign who the visitor is. They need no library, and hold this server's address."""

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
    signed = ".".join(map(part, ({"alg": "HS256", "typ": "JWT"}, claims)))
    secret = os.environ["SONI_SIGNING_SECRET"].encode()
    return signed + "." + text(hmac.digest(secret, signed.encode(), "sha256"))


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


@dataclass(frozen=True)
class Example:
    """One example; `name` is what the address calls it."""

    name: str
    title: str
    code: str


def examples(address: str, assistant: str) -> list[Example]:
    """The examples for an assistant of the server at `address`, which ends with a slash."""
    shell = SHELL.replace("{address}", address).replace("{assistant}", assistant)
    return [
        Example("python", "Python", PYTHON),
        Example("javascript", "JavaScript", JAVASCRIPT),
        Example("curl", "curl", shell),
    ]


def snippet(script: str, assistant: str) -> str:
    """The line that a site writes before `</body>`."""
    return f'<script async src="{script}" data-assistant="{assistant}"></script>'
