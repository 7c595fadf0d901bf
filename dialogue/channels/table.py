"""The channels by name: our own, and those of the project in the setting `CHANNELS`."""

from collections.abc import Iterator
from functools import lru_cache

from django.utils.module_loading import import_string

from dialogue.channels.mail.channel import Email
from dialogue.channels.port import Channel
from dialogue.channels.telegram.channel import Telegram
from dialogue.conf import soni

OWN: tuple[type[Channel], ...] = (Telegram, Email)


class ChannelUnknown(LookupError):
    """No channel has that name; a project's may have been taken out of the settings."""


def channels() -> dict[str, Channel]:
    """Return every channel by its name. Raises ImportError, and TypeError for what is not a channel."""
    return dict(_channels(tuple(soni.CHANNELS)))


def channel_named(name: str) -> Channel:
    """Return the channel of this name. Raises ChannelUnknown."""
    try:
        return channels()[name]
    except KeyError:
        raise ChannelUnknown(name) from None


@lru_cache(maxsize=4)
def _channels(dotted_names: tuple[str, ...]) -> dict[str, Channel]:
    kinds = [*OWN, *map(_channel_class, dotted_names)]
    return {kind.name: kind() for kind in kinds}


def unusable_channels() -> Iterator[str]:
    """Yield a sentence for each name in the setting `CHANNELS` that this process cannot use."""
    for name in soni.CHANNELS:
        try:
            _channel_class(name)
        except Exception as error:  # a project's module may raise anything while it is imported
            yield f"SONI_CHANNELS names {name}, which cannot be used: {type(error).__name__}: {error}"


def _channel_class(dotted_name: str) -> type[Channel]:
    found = import_string(dotted_name)
    if not (isinstance(found, type) and issubclass(found, Channel)):
        raise TypeError(f"{dotted_name} is not a subclass of dialogue.channels.port.Channel")
    return found
