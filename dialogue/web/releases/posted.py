"""What the dialogs of releases post: a note, and the release that was active when the person looked."""

from django.http import HttpRequest

from dialogue.turns.accept import storable_value


def posted_note(request: HttpRequest) -> str:
    return str(storable_value(request.POST.get("note", ""))).strip()[:500]


def posted_base(request: HttpRequest) -> int | None:
    """The number of the release that was active; None when the form does not say."""
    text = request.POST.get("base", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None
