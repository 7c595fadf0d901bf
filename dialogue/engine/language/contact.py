"""When, and whether, the assistant may write first: quiet hours, and the words with which a customer refuses."""

from datetime import datetime, time, timedelta
from typing import Annotated, Any, Self

from pydantic import Field, PlainSerializer, PlainValidator, model_validator

from dialogue.engine.slots.fields import LanguagePart, describe_value, field_error
from dialogue.engine.slots.readers import fold_text
from dialogue.engine.source.phrases import Phrase


def _parse_hour(value: object) -> time:
    if isinstance(value, time):
        return value
    try:
        return time.fromisoformat(value if isinstance(value, str) and len(value) == len("21:00") else "")
    except ValueError:
        text = Phrase("found {value} where a time of day is expected", value=describe_value(value))
        raise field_error("time_of_day", text, Phrase('Write hours and minutes in quotes, such as "21:00"')) from None


Hour = Annotated[
    time, PlainValidator(_parse_hour, json_schema_input_type=str), PlainSerializer(lambda hour: hour.strftime("%H:%M"))
]


class QuietHours(LanguagePart):
    """Hours of the day, in the assistant's time zone, in which it does not write first."""

    begin: Hour = Field(alias="from")
    """When they begin, such as "21:00"."""
    end: Hour = Field(alias="to")
    """When they end, such as "08:00"; if this is before the beginning, on the next day."""

    @model_validator(mode="after")
    def _hours_differ(self) -> Self:
        if self.begin == self.end:
            raise field_error(
                "same_hour",
                Phrase("the quiet hours begin and end at the same time"),
                Phrase('Write to: "08:00"'),
                key="to",
            )
        return self

    def end_after(self, now: datetime) -> datetime | None:
        """Return when the quiet hours end in which `now` lies, or None; `now` is in the assistant's time zone."""
        clock = now.time()
        crosses_midnight = self.end <= self.begin
        is_quiet = clock >= self.begin or clock < self.end if crosses_midnight else self.begin <= clock < self.end
        if not is_quiet:
            return None
        day = now.date() + timedelta(days=1 if crosses_midnight and clock >= self.begin else 0)
        return datetime.combine(day, self.end, now.tzinfo)


def _parse_words(value: object) -> tuple[str, ...]:
    words: Any = value if isinstance(value, list | tuple) else ()
    if not words or not all(isinstance(word, str) and fold_text(word) for word in words):
        raise field_error(
            "words",
            Phrase("found {value} where words are expected", value=describe_value(value)),
            Phrase("Write [stop, baja]"),
        )
    return tuple(words)


Words = Annotated[tuple[str, ...], PlainValidator(_parse_words, json_schema_input_type=list[str])]


class OptOut(LanguagePart):
    """The words with which a customer refuses, or allows again, that the assistant writes first."""

    words: Words
    """A message that is one of these words, such as stop or baja, refuses."""
    back: Words = ()
    """A message that is one of these words, such as start or alta, allows it again."""

    @model_validator(mode="after")
    def _words_differ(self) -> Self:
        same = next((word for word in self.back if is_one_of(self.words, word)), "")
        if same:
            raise field_error(
                "same_word",
                Phrase("`{same}` both refuses and allows", same=same),
                Phrase("Delete it in one of the lists"),
                key="back",
            )
        return self


def is_one_of(words: tuple[str, ...], text: str) -> bool:
    """Whether the text is one of the words, whatever its case, accents and final punctuation."""
    return fold_text(text).strip(" .!¡") in {fold_text(word) for word in words}
