"""Reads a plan while it is being written: each node the moment its closing brace arrives.

`PlanStream` finds the JSON objects of nodes in a text that comes in pieces; `PlanWriting` makes valid plan nodes of
them. What they tell is not binding: the whole text is read by `prompts.planning.read_plan` when it is there.
"""

import json
import re
from collections.abc import Callable
from typing import Any, TypeGuard

from prompts.plan_node import PlanError, PlanNode
from prompts.plan_reading import NODE_LISTS
from prompts.plan_repair import repaired_nodes

MAX_TEXT = 60_000
"""Characters that are read; no plan is nearly as long."""
MAX_DEPTH = 16
"""Objects and lists inside each other; what nests deeper is no plan."""
_SPACE = " \t\n\r"
_ENDS = frozenset(_SPACE + ",]}")
_BRACES = re.compile(r"\{([^{}]*)\}")
_NUMBER = re.compile(r"(?<![0-9])[1-9][0-9]{0,5}(?![0-9])")
_THINK, _THOUGHT = "<think>", "</think>"


class PlanStream:
    """Finds the nodes of a plan in a text that comes in pieces, in time linear in its length; never raises.

    Prose, fences and thoughts around the JSON are skipped. Where the text is no JSON, reading starts again behind it.
    """

    def __init__(self) -> None:
        self._read = 0
        self._skipped = ""
        self._thinking = self._any = self._over = False
        self._nodes: list[dict[str, Any]] = []
        self._start_over()

    def feed(self, text: str) -> list[dict[str, Any]]:
        """The nodes that this piece completes, as they were written."""
        self._nodes = []
        text = text[: max(MAX_TEXT - self._read, 0)]
        self._read += len(text)
        for char in text:
            if not self._open:
                self._skip(char)
            elif not self._take(char):
                self._start_over()
                self._skip(char)
        return self._nodes

    def _start_over(self) -> None:
        self._open: list[_Open] = []
        self._step: Callable[[str], bool] = self._value
        self._token: list[str] = []
        self._escaped = False
        self._found = False

    def _skip(self, char: str) -> None:
        """Outside of JSON: look for the begin of an object, a list or a thought."""
        self._skipped = (self._skipped + char)[-len(_THOUGHT) :]
        if self._skipped == _THOUGHT:
            self._thinking = False
            self._over = self._any  # nodes were thought aloud: which of them count is seen when all is written
        elif self._skipped.endswith(_THINK):
            self._thinking = True
        elif char in "{[" and not self._thinking and not self._over:
            self._value(char)

    def _take(self, char: str) -> bool:
        """Read one character of JSON; False where it cannot stand."""
        if self._step in (self._string, self._literal):
            return self._step(char)
        return char in _SPACE or self._step(char)

    def _value(self, char: str) -> bool:
        """A value begins, or the list ends."""
        if char in "{[":
            if len(self._open) == MAX_DEPTH:
                return False
            self._open.append(_Open({} if char == "{" else [], self._holds_nodes()))
            self._step = self._key if char == "{" else self._value
        elif char == "]" and self._open[-1].is_list:  # of an empty list, or behind a comma too many
            return self._close()
        elif char == '"':
            self._token, self._step = [char], self._string
        elif char.isalnum() or char == "-":
            self._token, self._step = [char], self._literal
        else:
            return False
        return True

    def _holds_nodes(self) -> bool:
        """Whether a list that begins here would be one of nodes: on top, or under the names such lists go by."""
        if not self._open:
            return True
        around = self._open[-1]
        return not around.is_list and around.of_nodes and around.key in NODE_LISTS

    def _key(self, char: str) -> bool:
        if char == "}":
            return self._close()
        self._token, self._step = [char], self._string
        return char == '"'

    def _string(self, char: str) -> bool:
        self._token.append(char)
        if char < " ":  # not in JSON: this was no string
            return False
        if self._escaped or char == "\\":
            self._escaped = not self._escaped
            return True
        return char != '"' or self._finish_token()

    def _literal(self, char: str) -> bool:
        """A number, true, false or null; the character behind it is read as what it is."""
        if char not in _ENDS:
            self._token.append(char)
            return True
        return self._finish_token() and self._take(char)

    def _finish_token(self) -> bool:
        try:
            value = json.loads("".join(self._token))
        except ValueError:
            return False
        around = self._open[-1]
        if around.is_list or around.key is not None:
            self._put(value)
        else:
            around.key, self._step = value, self._colon
        return True

    def _colon(self, char: str) -> bool:
        self._step = self._value
        return char == ":"

    def _put(self, value: Any) -> None:
        """Put a finished value where it belongs."""
        around = self._open[-1]
        if isinstance(around.value, list):
            around.value.append(value)
        else:
            around.value[around.key or ""] = value
            around.key = None
        self._step = self._comma

    def _comma(self, char: str) -> bool:
        is_list = self._open[-1].is_list
        if char == ("]" if is_list else "}"):
            return self._close()
        self._step = self._value if is_list else self._key
        return char == ","

    def _close(self) -> bool:
        """An object or a list is complete: a node is told of, anything else is part of what is around it."""
        done = self._open.pop()
        among_nodes = self._open[-1].is_list and self._open[-1].of_nodes if self._open else not self._found
        if among_nodes and is_node(done.value):
            self._nodes.append(done.value)
            self._any = True
            self._found = self._found or bool(self._open)
        if self._open:
            self._put(done.value)
        else:  # behind a whole plan there is nothing more to read; behind a single node there may be the next
            self._over = self._found
            self._start_over()
        return True


class _Open:
    """An object or a list that is not closed yet."""

    def __init__(self, value: dict[str, Any] | list[Any], of_nodes: bool) -> None:
        self.value = value
        self.is_list = isinstance(value, list)
        self.of_nodes = of_nodes
        """Of a list: whether its objects are nodes. Of an object: whether it may hold such lists."""
        self.key: str | None = None
        """The key whose value comes next."""


def is_node(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object with a query."""
    return isinstance(value, dict) and any(isinstance(value.get(key), str) for key in ("query", "question"))


class PlanWriting:
    """A plan on its way: text in, valid plan nodes out.

    Args:
        max_nodes: most nodes the plan may have.
    """

    def __init__(self, max_nodes: int) -> None:
        self._stream = PlanStream()
        self._max_nodes = max_nodes
        self._raw: list[dict[str, Any]] = []
        self._told: list[PlanNode] = []

    def feed(self, text: str) -> list[PlanNode]:
        """The nodes that this piece completes, as the plan would hold them if it ended here.

        Except that a node which names one that has not been written yet depends on it all the same: it must not look as
        if it waited for none. When that one is written, the node is told again.
        """
        fresh: list[PlanNode] = []
        for raw in self._stream.feed(text):
            if len(self._raw) < 2 * self._max_nodes:  # doubles are merged, so there may be more than are told of
                self._raw.append(raw)
                fresh += self._read(raw)
        return fresh

    def _read(self, raw: dict[str, Any]) -> list[PlanNode]:
        try:
            nodes, _ = repaired_nodes(self._raw, self._max_nodes)
        except PlanError:
            return []
        new = [node for node in nodes if node not in self._told]
        self._told += new
        unwritten = [name for name in _named(raw) if name not in {node.id for node in nodes}]
        return [
            node.model_copy(update={"depends_on": [*node.depends_on, *unwritten]}) if node is nodes[-1] else node
            for node in new
        ]


def _named(raw: dict[str, Any]) -> list[str]:
    """The ids of nodes that a node as written may mean, in its query and among what it depends on."""
    names = [str(raw.get(key, "")) for key in ("depends_on", "dependencies", "deps", "parents")]
    names += [name for value in raw.values() if isinstance(value, str) for name in _BRACES.findall(value)]
    return list(dict.fromkeys(f"n{number}" for name in names for number in _NUMBER.findall(name)))
