"""Random calls of the API, made from its OpenAPI document: bodies that fit, bodies that nearly fit, and nonsense."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from tests.support.web.described_answers import document

JSON = "application/json"
MAX_DEPTH = 4
ODD_TEXTS = (
    *("", " ", "\x00", "a\ud800b", "é😀", "null", "-1", "g1", "g0", "g999999999999999999", "../..", "%00", "'; --"),
    *("x" * 300, "\u202eabc", "<b>", "{{x}}", "1e400", "2026-11-23T00:00:00Z", "30m", "P1D", "bank", "approve", "en"),
)
ODD_MOMENTS = (
    *("2026-11-23T21:00:00+00:00", "2026-11-23T21:00:00", "0001-01-01T00:00:00Z"),
    "9999-12-31T23:59:59-12:00",
)
ODD_NUMBERS = (0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 10**30, 0.5, 1e308)
ODD_VALUES: tuple[Any, ...] = (None, True, False, [], {}, [None], {"": None}, [[[[[[]]]]]], *ODD_TEXTS, *ODD_NUMBERS)


@dataclass(frozen=True)
class RandomCall:
    """A call with its address and body; `route` is the address in the document."""

    method: str
    route: str
    url: str
    body: str
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.url} {self.body[:500]} {dict(self.headers)}"


def random_calls(random: Random, number: int, names: Mapping[str, list[str]]) -> Iterator[RandomCall]:
    """Yield this many calls of every route; `names` has values that exist, by the name of a path's parameter."""
    for route, calls in document()["paths"].items():
        for method, call in calls.items():
            for _number in range(number):
                yield _random_call(random, method.upper(), route, call, names)


def _random_call(
    random: Random, method: str, route: str, call: dict[str, Any], names: Mapping[str, list[str]]
) -> RandomCall:
    url, query = route, {}
    for parameter in call.get("parameters", ()):
        if parameter["in"] == "path":
            url = url.replace(f"{{{parameter['name']}}}", quote(_path_text(random, parameter["name"], names), safe=""))
        elif parameter["in"] == "query" and (parameter.get("required") or random.random() < 0.4):
            query[parameter["name"]] = _query_text(random, parameter["schema"])
    headers = (("Prefer", "respond-async"),) if random.random() < 0.2 else ()
    words = f"?{urlencode(query, errors='replace')}" if query else ""
    body, kind = _random_body(random, call)
    return RandomCall(method, route, url + words, body, kind, headers)


def _path_text(random: Random, name: str, names: Mapping[str, list[str]]) -> str:
    if names.get(name) and random.random() < 0.85:
        return random.choice(names[name])
    text = random.choice(ODD_TEXTS).replace("\ud800", "").strip("./") or "x"
    return text


def _query_text(random: Random, schema: dict[str, Any]) -> str:
    value = value_of(random, schema) if random.random() < 0.6 else random.choice((*ODD_TEXTS, *ODD_NUMBERS))
    return value if isinstance(value, str) else json.dumps(value)


def _random_body(random: Random, call: dict[str, Any]) -> tuple[str, str]:
    content = call.get("requestBody", {}).get("content", {})
    if JSON not in content:
        return "", JSON
    if random.random() < 0.03:
        return random.choice(("", "{", "[]", "null", "\x00", "{}{}", '{"a":1,"a":2}', "NaN", "[" * 2000)), JSON
    value = value_of(random, content[JSON]["schema"])
    if random.random() < 0.5:
        value = _altered(random, value)
    return json.dumps(value), "text/plain" if random.random() < 0.01 else JSON


def value_of(random: Random, schema: dict[str, Any], depth: int = 0) -> Any:
    """Return a value that fits a schema of the document in most cases."""
    if "$ref" in schema:
        schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return value_of(random, random.choice(schema[key]), depth)
    if "allOf" in schema:
        return value_of(random, schema["allOf"][0], depth)
    if "enum" in schema or "const" in schema:
        return random.choice(schema.get("enum") or [schema["const"]])
    maker = _MAKERS.get(schema.get("type", ""))
    return maker(random, schema, depth) if maker else random.choice(ODD_VALUES)


def _object_of(random: Random, schema: dict[str, Any], depth: int) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    parts = {
        name: value_of(random, part, depth + 1)
        for name, part in schema.get("properties", {}).items()
        if name in required or (depth < MAX_DEPTH and random.random() < 0.5)
    }
    if schema.get("additionalProperties") not in (False, None) and random.random() < 0.5:
        parts[random.choice(("amount", "payee", "daily_limit", *ODD_TEXTS))] = random.choice(ODD_VALUES)
    return parts


def _array_of(random: Random, schema: dict[str, Any], depth: int) -> list[Any]:
    least, most = schema.get("minItems", 0), min(schema.get("maxItems", 3), 3)
    number = random.randint(least, max(least, most)) if depth < MAX_DEPTH else least
    return [value_of(random, schema.get("items", {}), depth + 1) for _number in range(number)]


def _text_of(random: Random, schema: dict[str, Any], _depth: int) -> str:
    if schema.get("format") == "date-time":
        return random.choice(ODD_MOMENTS)
    if random.random() < 0.5:
        return random.choice(ODD_TEXTS)
    return "".join(random.choices("abcdefg_019", k=max(schema.get("minLength", 1), random.randint(1, 12))))


def _number_of(random: Random, schema: dict[str, Any], _depth: int) -> Any:
    least, most = schema.get("minimum", 0), schema.get("maximum", 50)
    return random.randint(int(least), int(most)) if random.random() < 0.7 else random.choice(ODD_NUMBERS)


def _altered(random: Random, value: Any) -> Any:
    """The value with one part in another type, missing or unknown."""
    if not isinstance(value, dict) or not value or random.random() < 0.2:
        return random.choice(ODD_VALUES) if random.random() < 0.3 else value
    name = random.choice(list(value))
    match random.randrange(4):
        case 0:
            return {key: part for key, part in value.items() if key != name}
        case 1:
            return {**value, "unknown": random.choice(ODD_VALUES)}
        case 2:
            return {**value, name: _altered(random, value[name])}
        case _:
            return {**value, name: random.choice(ODD_VALUES)}


_MAKERS = {
    "object": _object_of,
    "array": _array_of,
    "string": _text_of,
    "integer": _number_of,
    "number": _number_of,
    "boolean": lambda random, _schema, _depth: random.choice((True, False)),
    "null": lambda _random, _schema, _depth: None,
}
