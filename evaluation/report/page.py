"""report.html: one file that reads offline, from file:// too, in light and dark, with the keyboard, and when printed.

It asks the network for nothing: style, script, pictures and data stand in it, and its content security policy allows
no more. Whatever came from outside (questions, passages, answers, names) is text: escaped here, or put on the screen by
the script as text, never as markup.
"""

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from evaluation.report.content import Cell, Table, group_tables, tables
from evaluation.report.elements import Html, data, element
from evaluation.report.looks import Look, looks, variable, variables
from evaluation.report.wording import PAIRED, SHARES, facts, sentences, speed_sentences, summary, title, warning
from evaluation.results import Results

NO_SCRIPT = "The list of failures needs JavaScript; everything else is here without it."


class Figure(NamedTuple):
    """A picture of the page."""

    title: str
    caption: str
    svg: str
    """Made for the page: `evaluation.report.canvas.for_page`."""


def page(results: Results, failures: Mapping[str, Any], figures: Sequence[Figure] = (), remark: str = "") -> str:
    """The whole page.

    Args:
        results: of the run.
        failures: from `evaluation.report.failures_data`.
        figures: pictures, in order.
        remark: said where the pictures would stand, when there are none.
    """
    style = f":root{{{variables(dark=False)}}}@media(prefers-color-scheme:dark){{:root{{{variables(dark=True)}}}}}"
    script = _file("report.js")
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        f"script-src 'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title(results)),
        element("style", Html(style + _file("report.css"))),
    )
    body = element(
        "body",
        element("a", "Skip to the failures", class_="skip", href="#failures"),
        _header(results),
        element("main", *_sections(results, failures, figures, remark)),
        data(failures, "failures-data"),
        element("script", Html(script)),
    )
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _header(results: Results) -> Html:
    said = warning(results)
    links = [
        element("a", name, href=f"#{anchor}")
        for anchor, name in (
            ("results", "Results"),
            ("pictures", "Pictures"),
            ("kinds", "Kinds of question"),
            ("details", "Details"),
            ("failures", "Failures"),
            ("run", "The run"),
        )
    ]
    return element(
        "header",
        element("h1", title(results)),
        element("p", summary(results), class_="lead"),
        element("p", said, class_="warning", role="note") if said else None,
        [element("p", note, class_="note", role="note") for note in results["notes"]],
        element("nav", links, aria_label="Parts of the report"),
    )


def _sections(results: Results, failures: Mapping[str, Any], figures: Sequence[Figure], remark: str) -> Iterable[Html]:
    main, *rest = tables(results)
    look = looks(list(results["methods"]))
    yield _section(
        "results", "Results", _table(main, look), element("p", SHARES, class_="note"), *_comparisons(results)
    )
    shown = element("div", [_figure(figure) for figure in figures], class_="figures")
    yield _section("pictures", "Pictures", shown if figures else element("p", remark))
    yield _section("kinds", "Kinds of question", *[_table(table, look) for table in group_tables(results)])
    yield _section("details", "Details", *[_table(table, look) for table in rest])
    yield _section("failures", "Failures", *_failures(failures))
    yield _section("run", "The run", *_run(results))


def _section(anchor: str, name: str, *parts: Html | None) -> Html:
    return element(
        "section", element("h2", name, id=f"{anchor}-head"), *parts, id=anchor, aria_labelledby=f"{anchor}-head"
    )


def _table(table: Table, look: Mapping[str, Look]) -> Html:
    """Sortable: each head is a button, and cells carry the value to sort by."""
    heads = [
        element("th", element("button", _dot(head, look), head, type="button"), scope="col") for head in table.heads
    ]
    first = element("th", element("button", table.first, type="button"), scope="col")
    rows = [
        element("tr", element("th", _dot(name, look), name, scope="row"), [_cell(cell) for cell in cells])
        for name, cells in table.rows
    ]
    return element(
        "div",
        element(
            "table",
            element("caption", table.title, element("span", table.note) if table.note else None),
            element("thead", element("tr", first, heads)),
            element("tbody", rows),
        ),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=table.title,
    )


def _cell(cell: Cell) -> Html:
    """The figure, and its interval smaller behind it."""
    figure, bracket, interval = cell.text.partition(" [")
    shown = [Html(element("b" if cell.best else "span", figure))]
    if bracket:
        shown.append(element("small", f"[{interval}"))
    return element("td", shown, data_v=cell.value)


def _dot(name: str, look: Mapping[str, Look]) -> Html | None:
    """A method's colour beside its name, as in the pictures."""
    if name not in look:
        return None
    return element("i", class_="dot", style=f"background:{variable(look[name].colour)}", aria_hidden="true")


def _comparisons(results: Results) -> list[Html]:
    found = sentences(results)
    if not found:
        return []
    first = next(iter(results["methods"]))
    told = [
        element(
            "dl",
            [element("div", element("dt", other), [element("dd", said) for said in lines]) for other, lines in found],
        )
    ]
    mark = f" (simulated: {results['simulated']})" if results["simulated"] else ""
    speed = [element("li", said) for said in speed_sentences(results)]
    return [
        element("h3", f"{first} against the others"),
        element("p", PAIRED, class_="note"),
        *told,
        *([element("h3", f"Median time{mark}"), element("ul", speed)] if speed else []),
    ]


def _figure(figure: Figure) -> Html:
    drawing = element("div", Html(figure.svg), role="img", aria_label=f"{figure.title}. {figure.caption}")
    return element("figure", drawing, element("figcaption", element("b", f"{figure.title}. "), figure.caption))


def _failures(failures: Mapping[str, Any]) -> list[Html]:
    """The frame of the list; the script fills it."""
    count, left = len(failures["questions"]), failures["left_out"]
    told = f"Questions that at least one method got wrong: {count:,}. Passages are cut to {failures['cut']} characters."
    if left:
        told += f" {left:,} more found no room in this page; predictions.jsonl has them all."
    return [
        element("p", told, class_="note"),
        element("form", id="filters", class_="filters", aria_label="Which failures are listed"),
        element("p", id="count", class_="note", role="status", aria_live="polite"),
        element("div", id="list"),
        element("noscript", element("p", NO_SCRIPT)),
    ]


def _run(results: Results) -> list[Html]:
    described = [(name, text) for name, text in results["descriptions"].items() if text]
    lists = [("Methods", described), ("Settings, versions, machine", facts(results))]
    return [
        part
        for name, pairs in lists
        if pairs
        for part in (
            element("h3", name),
            element("dl", [element("div", element("dt", key), element("dd", value)) for key, value in pairs]),
        )
    ]


def _file(name: str) -> str:
    return resources.files("evaluation.report").joinpath(name).read_text(encoding="utf-8")
