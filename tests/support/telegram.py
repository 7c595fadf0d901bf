"""A double of Telegram's Bot API on this machine: answers calls, and has updates as the documentation gives them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
"""The token of the documentation's examples."""
CHAT = 1111111
URSULA = {
    "id": CHAT,
    "is_bot": False,
    "first_name": "Ursula",
    "last_name": "Berg",
    "username": "ursula",
    "language_code": "en",
}
PRIVATE = {"id": CHAT, "first_name": "Ursula", "last_name": "Berg", "username": "ursula", "type": "private"}
Json = dict[str, Any]


class TelegramDouble:
    """Knows one bot. `calls` are (method, parameters); `next_answers` go out before the usual ones of `sendMessage`.

    `failing` has the answer of each method that fails.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, Json]] = []
        self.next_answers: list[tuple[int, Json]] = []
        self.failing: dict[str, tuple[int, Json]] = {}
        self.tokens = {TOKEN}
        self.username = "harbour_bank_bot"
        self.webhook: Json = {}
        self.files: dict[str, bytes] = {}
        self.before_answer: Callable[[str], None] = lambda _method: None
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                parameters = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = double.answer(self.path, parameters)
                self._send(status, json.dumps(answer).encode())

            def do_GET(self) -> None:
                content = double.files.get(self.path.removeprefix(f"/file/bot{TOKEN}/"))
                self._send(404 if content is None else 200, content or b"")

            def _send(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str, parameters: Json) -> tuple[int, Json]:
        if path.split("/")[1].removeprefix("bot") not in self.tokens:
            return 404, {"ok": False, "error_code": 404, "description": "Not Found"}
        method = path.rpartition("/")[2]
        self.calls.append((method, parameters))
        self.before_answer(method)
        if self.next_answers and method == "sendMessage":
            return self.next_answers.pop(0)
        if method in self.failing:
            return self.failing[method]
        return 200, {"ok": True, "result": self._result(method, parameters)}

    def _result(self, method: str, parameters: Json) -> Any:
        match method:
            case "getMe":
                return {"id": 110201543, "is_bot": True, "first_name": "Harbour Bank", "username": self.username}
            case "setWebhook":
                self.webhook = parameters
                return True
            case "deleteWebhook":
                self.webhook = {}
                return True
            case "getWebhookInfo":
                return {"url": self.webhook.get("url", ""), "pending_update_count": 0}
            case "getFile":
                return {"file_id": parameters["file_id"], "file_path": f"documents/{parameters['file_id']}"}
            case _:
                return {"message_id": len(self.calls), "chat": PRIVATE, "date": 1441645532}

    @property
    def sent(self) -> list[str]:
        """The texts that were sent, also in vain."""
        return [parameters["text"] for method, parameters in self.calls if method == "sendMessage"]

    @property
    def buttons(self) -> list[tuple[str, str]]:
        """Label and data of the buttons under the last message."""
        markup = [parameters for method, parameters in self.calls if method == "sendMessage"][-1]["reply_markup"]
        return [(button["text"], button["callback_data"]) for row in markup["inline_keyboard"] for button in row]


@contextmanager
def running_telegram() -> Iterator[TelegramDouble]:
    double = TelegramDouble()
    thread = Thread(target=double.server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield double
    finally:
        double.server.shutdown()
        thread.join()
        double.server.server_close()


def failure(status: int, description: str, **parameters: Any) -> tuple[int, Json]:
    """An error as the API gives it."""
    more = {"parameters": parameters} if parameters else {}
    return status, {"ok": False, "error_code": status, "description": description, **more}


def message(update: int, text: str = "", **parts: Any) -> Json:
    """An update with a message in a private chat."""
    body = {"date": 1441645532, "chat": PRIVATE, "message_id": 1365, "from": URSULA, **parts}
    return {"update_id": update, "message": {**body, **({"text": text} if text else {})}}


def pressed(update: int, data: str) -> Json:
    """An update with a button that was pressed under a message of the bot."""
    under = {"message_id": 7, "date": 1441645532, "chat": PRIVATE, "text": "Shall I?"}
    query = {"id": "4382bfdwdsb323b2d9", "from": URSULA, "message": under, "chat_instance": "-37", "data": data}
    return {"update_id": update, "callback_query": query}
