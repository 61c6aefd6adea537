"""HTML out of Python values: text is escaped unless it is `Html` already, so that a passage can never become markup.

>>> element("td", "<script>", Html("<b>ok</b>"), data_v=1.5)
'<td data-v="1.5">&lt;script&gt;<b>ok</b></td>'
"""

import html
import json
from collections.abc import Iterable
from typing import Any


class Html(str):
    """Markup that was made here; nothing from outside is ever put into one."""

    __slots__ = ()


VOID = frozenset({"meta", "input", "br"})


def element(tag: str, *children: str | Iterable[Html] | None, **attributes: str | float | bool | None) -> Html:
    """An element.

    Args:
        tag: its name.
        children: text, which is escaped; markup; a series of markup; or None.
        attributes: `class_` is class, `data_v` is data-v; True stands without a value, False and None not at all.
    """
    shown = "".join(_attribute(name, value) for name, value in attributes.items() if value not in (None, False))
    if tag in VOID:
        return Html(f"<{tag}{shown}>")
    return Html(f"<{tag}{shown}>{''.join(map(_child, children))}</{tag}>")


def data(value: Any, name: str) -> Html:
    """A block of JSON that a script reads; "<" is written by its number, so that no text in it can end the block."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Html(f'<script type="application/json" id="{name}">{text.replace("<", chr(92) + "u003c")}</script>')


def _attribute(name: str, value: str | float | bool | None) -> str:
    plain = name.rstrip("_").replace("_", "-")
    return f" {plain}" if value is True else f' {plain}="{html.escape(str(value))}"'


def _child(child: str | Iterable[Html] | None) -> str:
    if child is None:
        return ""
    if isinstance(child, str):
        return child if isinstance(child, Html) else html.escape(child)
    return "".join(map(_child, child))
