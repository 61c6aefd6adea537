"""What a file says: title, text and metadata out of text, Markdown, HTML and JSON.

Pure functions from the bytes or the value of one file to its content. They know nothing about paths, keys or stores,
and raise `Unreadable` with a reason that reads on after the name of the file ("notes.txt is empty").
"""

import codecs
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
FENCE = re.compile(r"^ {0,3}(```|~~~)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$")
FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
DEEPEST = 50
"""Levels of lists and objects in metadata; every reader of JSON has a limit, and not all of them the same."""
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _NoAliases(yaml.SafeLoader):
    """YAML without `*name`: some lines of it can stand for more than any memory holds."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


class Unreadable(Exception):
    """The file or record holds nothing that can be ingested; the message is the reason."""


class Content(NamedTuple):
    """What was read: an empty title means that the file names none, an empty id that it gives none."""

    title: str
    text: str
    metadata: Mapping[str, Any] = {}
    id: str = ""


def decode(data: bytes, declared: str | None = None) -> str:
    """Text of `data`: by its byte order mark, else as `declared`, else as UTF-8. Line ends are made equal.

    Raises:
        Unreadable: binary data, or another encoding.
    """
    encoding = next((name for mark, name in BYTE_ORDER_MARKS if data.startswith(mark)), None) or declared or "utf-8"
    if not encoding.startswith(("utf-16", "utf-32")) and b"\0" in data:
        raise Unreadable("is binary (it holds NUL bytes), not text")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"is not {encoding.upper().removesuffix('-SIG')} (byte 0x{data[error.start]:02x} at {error.start:,}): "
            "convert it to UTF-8, or leave it out if it is not text"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(data: bytes) -> Content:
    """Plain text, as it is."""
    return Content("", _some(decode(data)))


def read_markdown(data: bytes) -> Content:
    """Markdown, as it is; the title is that of the front matter, else the first heading. Front matter becomes metadata.

    >>> read_markdown(b"# Bern").title
    'Bern'
    """
    text, metadata = decode(data), {}
    if found := FRONT_MATTER.match(text):
        metadata = _front_matter(found[1])
        text = text[found.end() :] if metadata else text
    title = metadata.pop("title", "")
    return Content(title if isinstance(title, str) and title else _first_heading(text), _some(text), metadata)


def read_html(data: bytes) -> Content:
    """HTML as text with Markdown's headings, lists, tables and code blocks; scripts, styles and navigation dropped."""
    from tools.html import html_to_text

    title, text = html_to_text(decode(data, _declared_charset(data)))
    return Content(title, _some(text))


def parse_json(data: bytes) -> Any:
    """The JSON value in `data`.

    Raises:
        Unreadable: not JSON, with line and column; NaN and Infinity are not JSON either.
    """
    text = decode(data)
    try:
        value = json.loads(_some(text), parse_constant=_not_json)
    except json.JSONDecodeError as error:
        hint = " (one object per line? then name it .jsonl)" if error.msg == "Extra data" and error.lineno > 1 else ""
        raise Unreadable(f"is broken JSON: {error.msg} at line {error.lineno}, column {error.colno}{hint}") from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error).split(";")[0]
        raise Unreadable(f"is broken JSON: {reason}") from None
    try:
        # An escape such as \ud800 makes half a character, which no store and no tokenizer can encode.
        return _mend(value) if "\\u" in text else value
    except RecursionError:
        raise Unreadable("is broken JSON: nested too deeply") from None


def read_record(value: Any) -> Content:
    """A JSON object {title, text}, optionally with id (or _id); all other fields become metadata.

    >>> read_record({"id": 7, "title": "Bern", "text": "A city.", "lang": "en"})
    Content(title='Bern', text='A city.', metadata={'lang': 'en'}, id='7')
    """
    if not isinstance(value, dict):
        raise Unreadable(f"is {_kind(value)}, not an object with 'title' and 'text'")
    fields = dict(value)
    text, title = fields.pop("text", None), fields.pop("title", None)
    given = fields.pop("id", None) if "id" in fields else fields.pop("_id", None)
    if text is None:
        raise Unreadable(f"has no field 'text' (it has {_listed(value)})")
    for name, content in (("text", text), ("title", title)):
        if not isinstance(content, str | None):
            raise Unreadable(f"has a {name!r} that is {_kind(content)}, not a string")
    if isinstance(given, bool) or not isinstance(given, str | int | None):
        raise Unreadable(f"has an 'id' that is {_kind(given)}, not a string or a whole number")
    if isinstance(nested := fields.get("metadata"), dict):
        fields = {**{key: item for key, item in fields.items() if key != "metadata"}, **nested}
    if _too_deep(fields):
        raise Unreadable(f"has metadata nested more than {DEEPEST} levels deep")
    identity = "" if given is None else str(given)
    if len(identity) > 1000:
        raise Unreadable(f"has an 'id' of {len(identity):,} characters (at most 1,000)")
    return Content((title or "").strip(), _some(text), fields, identity)


def _too_deep(value: Any) -> bool:
    """Whether lists and objects lie in each other more than `DEEPEST` levels deep. A loop, not recursion."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            item
            for outer in level
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _some(text: str) -> str:
    if not text.strip():
        raise Unreadable("is empty")
    return text


def _declared_charset(data: bytes) -> str | None:
    found = CHARSET.search(data[:2048])
    if not found:
        return None
    try:
        return codecs.lookup(found[1].decode()).name
    except LookupError:
        return None


def _front_matter(block: str) -> dict[str, Any]:
    """Fields of YAML front matter as JSON values; none when it is something else between two rules."""
    try:
        fields = yaml.load(block, _NoAliases)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    if not isinstance(fields, dict) or _too_deep(fields):
        return {}
    mended: dict[str, Any] = json.loads(json.dumps({str(key): value for key, value in fields.items()}, default=str))
    return mended


def _first_heading(text: str) -> str:
    fenced = False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and (found := HEADING.match(line)):
            return found[1]
    return ""


def _not_json(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _mend(value: Any) -> Any:
    """Replace half characters (lone surrogates) by U+FFFD."""
    match value:
        case str():
            return LONE_SURROGATE.sub("\ufffd", value)
        case list():
            return [_mend(item) for item in value]
        case dict():
            return {_mend(key): _mend(item) for key, item in value.items()}
    return value


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a number"}
    return "null" if value is None else names.get(type(value), "a number")


def _listed(value: dict[str, Any]) -> str:
    names = ", ".join(repr(name) for name in list(value)[:6])
    return (names + (", …" if len(value) > 6 else "")) or "none"
