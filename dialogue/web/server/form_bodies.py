"""Bodies of forms are read by Django, once and with its limits."""

from typing import Any


def leave_forms_to_django() -> None:
    """Let Twisted hand bodies of forms on unread. Call it once, before serving.

    Otherwise it parses each form too, on the loop and with its whole content in memory, for nothing: Daphne does not
    use the result. And a form that it cannot read gets an answer of its own, without a body.
    """
    from daphne import http_protocol  # type: ignore[import-untyped]  # other servers do without it

    class UnparsedRequest(http_protocol.WebRequest):  # type: ignore[misc]
        """A request whose body Twisted does not parse."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "parsePOSTFormSubmission": False})

    http_protocol.WebRequest = UnparsedRequest
