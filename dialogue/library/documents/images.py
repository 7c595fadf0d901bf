"""The images of an assistant's folder, which messages show as `images/<name>`."""

from hashlib import sha256
from io import BytesIO
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.engine.slots.file_kinds import FILE_KINDS, kind_of_file
from dialogue.engine.stack.message_content import OWN_IMAGE
from dialogue.models import Assistant, AssistantImage
from dialogue.turns import clock

IMAGES_FOLDER = "images"
"""The folder beside an assistant's flows whose images `load_flows` brings along."""
MAX_IMAGE_BYTES = 1024 * 1024
MAX_IMAGES = 100


class ImageRefused(Exception):
    """An image that cannot be kept; the message says why and what to do."""


def load_images(assistant: Assistant, folder: Path) -> tuple[int, int]:
    """Make the assistant's images those of the folder: (stored, removed). Raises ImageRefused, and changes nothing."""
    paths = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if len(paths) > MAX_IMAGES:
        raise ImageRefused(_("%(folder)s has more than %(limit)s files.") % {"folder": folder, "limit": MAX_IMAGES})
    images = [_read_image(path) for path in paths]
    with transaction.atomic():
        stored = {row.name: row for row in Assistant.objects.get(pk=assistant.pk).images.defer("content")}
        removed = [row for name, row in stored.items() if name not in {image.name for image in images}]
        changed = [image for image in images if image.name not in stored or stored[image.name].digest != image.digest]
        assistant.images.filter(name__in=[image.name for image in (*removed, *changed)]).delete()
        for image in changed:
            image.assistant, image.at = assistant, clock.now()
            image.save()
        if changed or removed:
            facts = {"stored": len(changed), "removed": len(removed)}
            chain.record(
                chain.CONSOLE, [chain.Act("images_loaded", "system", None, assistant.name, facts)], clock.now()
            )
    return len(changed), len(removed)


def dump_images(assistant: Assistant, folder: Path) -> list[Path]:
    """Write every image into the folder, which is made when there is one; returns the files, by name."""
    rows = list(assistant.images.all())
    if rows:
        folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        (folder / row.name).write_bytes(bytes(row.content))
    return [folder / row.name for row in rows]


def _read_image(path: Path) -> AssistantImage:
    """Return a row that is not stored yet. Raises ImageRefused."""
    content = path.read_bytes() if path.stat().st_size <= MAX_IMAGE_BYTES else b""
    kind = kind_of_file(BytesIO(content))
    if not content:
        message = _("%s is empty or larger than 1 MiB. Make it smaller.") % path.name
    elif kind not in FILE_KINDS or not FILE_KINDS[kind].is_picture:
        message = _("%s is not a PNG, JPEG, GIF or WebP image.") % path.name
    elif not OWN_IMAGE.fullmatch(f"{IMAGES_FOLDER}/{path.name}") or path.suffix not in FILE_KINDS[kind].endings:
        message = _("Rename %(name)s: letters, digits, - and _, and the ending %(ending)s.") % {
            "name": path.name,
            "ending": FILE_KINDS[kind].endings[0],
        }
    else:
        return AssistantImage(name=path.name, kind=kind, content=content, digest=sha256(content).hexdigest())
    raise ImageRefused(message)
