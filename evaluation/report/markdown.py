"""report.md: the report for a repository or a pull request. Names from outside are escaped, pictures are linked."""

import re
from collections.abc import Sequence

from evaluation.report.content import Table, group_tables, tables
from evaluation.report.wording import PAIRED, SHARES, facts, sentences, speed_sentences, summary, title, warning
from evaluation.results import Results

SPECIAL = re.compile(r"([\\`*\[\]<>#|!~])")


def markdown(results: Results, pictures: Sequence[tuple[str, str]] = ()) -> str:
    """The whole report.

    Args:
        results: of the run.
        pictures: path and caption of each, paths seen from the report's folder.
    """
    said = warning(results)
    main, *rest = tables(results)
    parts = [
        f"# {plain(title(results))}",
        plain(summary(results)),
        *([f"> **{plain(said)}**"] if said else []),
        *[f"> {plain(note)}" for note in results["notes"]],
        table_text(main),
        SHARES,
        *_comparisons(results),
        *[f"![{plain(caption)}]({path})" for path, caption in pictures],
        *[table_text(table) for table in [*group_tables(results), *rest]],
        *_methods(results),
        "## The run",
        "\n".join(f"- {plain(name)}: {plain(value)}" for name, value in facts(results)),
    ]
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    r"""Text that is nothing but text in Markdown, on one line.

    >>> plain("a|b <i>\n![x](y)")
    'a\\|b \\<i\\> \\!\\[x\\](y)'
    """
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table_text(table: Table, level: int = 2) -> str:
    """A table under a heading of that level, with its note."""
    heads = "".join(f" {plain(head)} |" for head in table.heads)
    rule = " ---: |" * len(table.heads)
    rows = [
        f"| {plain(name)} |" + "".join(f" **{cell.text}** |" if cell.best else f" {cell.text} |" for cell in cells)
        for name, cells in table.rows
    ]
    return "\n".join(
        [
            f"{'#' * level} {plain(table.title)}",
            "",
            f"| {table.first} |{heads}",
            f"| --- |{rule}",
            *rows,
            "",
            plain(table.note),
        ]
    ).strip()


def _comparisons(results: Results) -> list[str]:
    found = sentences(results)
    if not found:
        return []
    first = next(iter(results["methods"]))
    lines = [f"- **{plain(other)}**\n" + "\n".join(f"  - {plain(said)}" for said in told) for other, told in found]
    speed = speed_sentences(results)
    mark = f" (simulated: {plain(results['simulated'])})" if results["simulated"] else ""
    return [
        f"## {plain(first)} against the others",
        PAIRED,
        "\n".join(lines),
        *([f"Median time{mark}:", "\n".join(f"- {plain(said)}" for said in speed)] if speed else []),
    ]


def _methods(results: Results) -> list[str]:
    described = [f"- **{plain(name)}**: {plain(text)}" for name, text in results["descriptions"].items() if text]
    return ["## Methods", "\n".join(described)] if described else []
