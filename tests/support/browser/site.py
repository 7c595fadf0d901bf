"""A site of somebody else's, on an origin of its own, with a policy that allows it nothing but its chat."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = """<!doctype html>
<html lang="{language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Marlow &amp; Daughters</title>
    <link rel="stylesheet" href="/site.css">
  </head>
  <body>
    <main><h1>Tern 14, family dinghy</h1><p>Stable, and light enough for two people to lift.</p>
    <a href="/other/">Sails</a></main>
    <script async src="{service}/embed/widget.js" data-assistant="{assistant}" {attributes}></script>
  </body>
</html>
"""
STYLES = """
html { color-scheme: light dark; background: light-dark(#fff, #111); }
a { color: inherit; }
:root { --soni-brand: #1f4e79; --soni-width: 370px; }
"""


class Site:
    """Every page of it has the chat of `assistant`; `attributes` and `language` may change between two loads.

    `modules` are its own scripts, by path: pages may import them.
    """

    def __init__(self, service: str, assistant: str) -> None:
        self.service, self.assistant = service, assistant
        self.attributes, self.language, self.styles = "", "en", STYLES
        self.url = ""
        self.extra_policy = ""
        self.modules: dict[str, str] = {}

    @property
    def policy(self) -> str:
        """No inline script or style; frames of the service only, and its scripts beside the site's own modules."""
        own = "style-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'"
        trusted = "require-trusted-types-for 'script'; trusted-types 'none'"
        modules = " 'self'" if self.modules else ""
        service = f"script-src {self.service}{modules}; frame-src {self.service}"
        return f"default-src 'none'; {service}; {own}; {trusted}{self.extra_policy}"

    def answer(self, path: str) -> tuple[str, str]:
        """The type and the text of what is at this path."""
        if path == "/site.css":
            return "text/css", self.styles
        if path in self.modules:
            return "text/javascript", self.modules[path]
        facts = {"service": self.service, "assistant": self.assistant, "attributes": self.attributes}
        return "text/html; charset=utf-8", PAGE.format(**facts, language=self.language)


@contextmanager
def open_site(service: str, assistant: str = "bank") -> Iterator[Site]:
    """Serve the site at `http://localhost:PORT`, another origin and another site than the service's 127.0.0.1."""
    site = Site(service, assistant)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, text = site.answer(self.path)
            self.send_response(200 if self.path != "/favicon.ico" else 204)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", site.policy)
            self.end_headers()
            self.wfile.write(b"" if self.path == "/favicon.ico" else text.encode())

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()
