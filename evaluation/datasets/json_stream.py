"""JSON values out of a stream of text, one at a time, so that a file of any size needs the memory of one value.

Three forms, told apart by their first characters: a list, an object {"data": […]} (SQuAD), and values one after the
other (JSON lines). It knows nothing about what the values mean.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

from tools.formats import LONE_SURROGATE, Unreadable

BLOCK = 1 << 20
"""Characters read at once."""
MAX_VALUE = 64 << 20
"""Most characters of one value."""

SPACE = re.compile(r"[ \t\r\n]*")
CONTAINER = re.compile(r'\{\s*(?:"version"\s*:\s*"[^"]*"\s*,\s*)?"data"\s*:\s*\[')
HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half a character."""


def json_values(stream: TextIO) -> Iterator[Any]:
    r"""The values of a list, of {"data": […]}, or of JSON lines.

    >>> import io
    >>> list(json_values(io.StringIO('{"version": "2", "data": [1, 2]}'))), list(json_values(io.StringIO('{}\n{}')))
    ([1, 2], [{}, {}])

    Raises:
        Unreadable: broken JSON, at the value that comes next.
    """
    text = _Text(stream)
    first = text.next_character()
    if not first:
        raise Unreadable("is empty")
    if container := CONTAINER.match(text.buffer, text.position):
        text.position = container.end()
        yield from _items(text)
    elif first == "[":
        text.position += 1
        yield from _items(text)
        if text.next_character():
            raise Unreadable("comes after the end of the list")
    elif first == "{":
        while text.next_character():
            yield text.value()
    else:
        raise Unreadable(f"is not JSON: it begins with {text.buffer[text.position : text.position + 20]!r}")


def _items(text: "_Text") -> Iterator[Any]:
    """Items of a list whose bracket has been passed."""
    if text.next_character() == "]":
        text.position += 1
        return
    while True:
        yield text.value()
        match text.next_character():
            case ",":
                text.position += 1
            case "]":
                text.position += 1
                return
            case "":
                raise Unreadable("is missing: the file breaks off in the middle of its list")
            case other:
                raise Unreadable(f"has {other!r} before it, where a comma should be")


class _Text:
    """A piece of the stream and how far it has been read."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.buffer = ""
        self.position = 0

    def next_character(self) -> str:
        """The next character that is no space, without passing it; empty at the end."""
        while True:
            found = SPACE.match(self.buffer, self.position)
            self.position = found.end() if found else self.position
            if self.position < len(self.buffer):
                return self.buffer[self.position]
            if not self._more():
                return ""

    def value(self) -> Any:
        """The value that begins here."""
        self.next_character()
        while True:
            try:
                value, end = DECODER.raw_decode(self.buffer, self.position)
            except json.JSONDecodeError as error:
                # Cut off at the end of the piece, it fails there, or at the quote that opens its last string.
                cut = error.pos >= len(self.buffer) - 10 or error.msg.startswith("Unterminated")
                if cut and self._more():
                    continue
                raise Unreadable(f"is broken JSON: {error.msg}{_quoted(error)}") from None
            except RecursionError:
                raise Unreadable("is nested too deeply") from None
            if end == len(self.buffer) and self._more():
                continue  # a number may go on
            broken = HALF.search(self.buffer, self.position, end)
            self.position = end
            return _mended(value) if broken else value

    def _more(self) -> bool:
        """Read on; whether there was anything."""
        rest = self.buffer[self.position :]
        if len(rest) > MAX_VALUE:
            raise Unreadable(f"is longer than {MAX_VALUE >> 20} MB, or its end is missing")
        # As much again as there is: a long value is tried a few times, not once for every block.
        block = self._stream.read(max(BLOCK, len(rest)))
        if block:
            self.buffer, self.position = rest + block, 0
        return bool(block)


def _quoted(error: json.JSONDecodeError) -> str:
    before = " ".join(error.doc[max(error.pos - 30, 0) : error.pos].split())
    return f" after {before!r}" if before else ""


def _mended(value: Any) -> Any:
    """Half characters (lone surrogates), which no store and no tokenizer can encode, become U+FFFD."""
    return json.loads(LONE_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False)))


def _refuse(name: str) -> None:
    raise Unreadable(f"is broken JSON: {name} is not a JSON value")


DECODER = json.JSONDecoder(parse_constant=_refuse)
