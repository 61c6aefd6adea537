"""Fields of a record, checked: what is missing or of another kind is an `Unreadable` that says so.

It knows no layout. Messages read on after "record 12": "has no 'answer' (it has 'id', 'question')".
"""

import json
from typing import Any

from tools.formats import Unreadable

KINDS = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}


def kind(value: Any) -> str:
    """What a JSON value is, in words.

    >>> kind([]), kind(1.5)
    ('a list', 'a number')
    """
    return KINDS.get(type(value), "a number")


def listed(record: dict[str, Any]) -> str:
    """The first fields of a record, for a message.

    >>> listed({"id": 1, "text": ""})
    "it has 'id', 'text'"
    """
    names = ", ".join(repr(name) for name in list(record)[:8])
    return f"it has {names}{', …' if len(record) > 8 else ''}" if names else "it is empty"


def text(record: dict[str, Any], *names: str) -> str:
    """The string in the first of these fields that is there; yes and no for true and false, a number in digits.

    Raises:
        Unreadable: none of them is there, or it holds something else.
    """
    name = next((name for name in names if record.get(name) is not None), None)
    if name is None:
        raise Unreadable(f"has no {names[0]!r} ({listed(record)})")
    match record[name]:
        case bool(value):
            return "yes" if value else "no"
        case str() | int() | float() as value:
            return str(value).strip()
    raise Unreadable(f"has a {name!r} that is {kind(record[name])}, not a string")


def optional(record: dict[str, Any], *names: str) -> str:
    """The same, but empty when there is none."""
    return text(record, *names) if any(record.get(name) is not None for name in names) else ""


def texts(record: dict[str, Any], *names: str) -> list[str]:
    """The strings in the first of these fields that is there; none when it is not.

    Raises:
        Unreadable: it is no list of strings.
    """
    name = next((name for name in names if record.get(name) is not None), None)
    values = record[name] if name else []
    if isinstance(values, list) and all(isinstance(value, str) for value in values):
        return [value.strip() for value in values if value.strip()]
    raise Unreadable(f"has {name!r} that is not a list of strings")


def rows(record: dict[str, Any], name: str, *columns: str, optional: bool = False) -> list[list[Any]]:
    """A table: `[["Bern", 0]]`, columns `{"title": ["Bern"], "sent_id": [0]}`, or either as JSON in a string.

    The second form is that of HuggingFace's parquet files. `columns` are the wanted ones, `a|b` for two names of one.

    Raises:
        Unreadable: it is missing (and not optional), or no such table.
    """
    value = record.get(name)
    if value is None:
        if optional:
            return []
        raise Unreadable(f"has no {name!r} ({listed(record)})")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise Unreadable(f"has a {name!r} that is plain text, not a list") from None
    if isinstance(value, dict):
        chosen = [next((value[a] for a in column.split("|") if a in value), None) for column in columns]
        if not all(isinstance(column, list) for column in chosen):
            raise Unreadable(f"has a {name!r} without {' and '.join(map(repr, columns))}")
        value = [list(row) for row in zip(*chosen, strict=False)]
    if not isinstance(value, list) or not all(isinstance(row, list) and len(row) == len(columns) for row in value):
        raise Unreadable(f"has {name!r} that is not a list of {', '.join(columns)}")
    return value
