"""`lookahead datasets`: the question sets that can be fetched, fetching one, and what a file of questions holds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from graph.cli.options import JsonOption
from graph.cli.output import columns, err, listed, out, plural, print_json

if TYPE_CHECKING:
    from evaluation.datasets.catalogue import Source
    from evaluation.datasets.records import Question
    from evaluation.datasets.summary import Summary

app = typer.Typer(
    help="Question sets to measure with: list and fetch the public ones, look into a file of your own.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

PASSAGES_SHOWN = 10
SHOWN = 110
"""Characters of a passage or sentence in an example."""


@app.command("list")
def list_sources(as_json: JsonOption = False) -> None:
    """List the public question sets, with size and licence."""
    from evaluation.datasets.catalogue import SOURCES, fetched_files, fetched_folder

    if as_json:
        print_json({"folder": str(fetched_folder()), "datasets": [_source_object(entry) for entry in SOURCES]})
        return
    table = _two_columns()
    for entry in SOURCES:
        there = "fetched · " if all(path.exists() for path in fetched_files(entry)) else ""
        facts = f"{entry.questions} questions · {_size(entry.size)} · {entry.licence} · {entry.home}"
        table.add_row(
            Text(entry.name, style="bold"), Text.assemble(entry.about, "\n", (there, "green"), (facts, "dim"))
        )
    out().print(table)
    out().print(Text(f"\n`lookahead datasets fetch NAME` brings one into {fetched_folder()}", style="dim"))


@app.command("fetch")
def fetch_source(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `lookahead datasets list` shows it.")],
    to: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to. [dim]By default your data folder.[/]", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch a public question set from its official address.

    What broke off goes on where it stopped; every file is checked by size and SHA-256, and none is overwritten.
    """
    from evaluation.datasets.catalogue import fetched_folder, source
    from evaluation.datasets.fetching import fetch
    from graph.cli.fetch_progress import FetchProgress

    wanted = source(name)
    try:
        with FetchProgress() as progress:
            paths, came = fetch(wanted, to or fetched_folder() / wanted.name, progress)
    except KeyboardInterrupt:
        err().print("stopped: what came is kept; run the same command again to go on", style="yellow")
        raise typer.Exit(130) from None
    if as_json:
        print_json({**_source_object(wanted), "files": [str(path) for path in paths], "bytes_fetched": came})
        return
    out().print(f"{_size(came)} fetched and checked" if came else "there already, and checked", style="bold green")
    for path in paths:
        out().print(Text(f"  {path}", overflow="fold"))
    out().print(Text(f"{wanted.licence}, {wanted.home}; look into a file with `lookahead datasets show`", style="dim"))


@app.command("show")
def show_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON, JSON lines or parquet, each also .gz.")],
    dataset: Annotated[
        str,
        typer.Option(
            metavar="LAYOUT", help="auto (from its content), hotpotqa, 2wiki, musique, squad, lmcache or jsonl."
        ),
    ] = "auto",
    as_json: JsonOption = False,
) -> None:
    """Show what a file of questions holds: how many, of which kinds, their passages, and one of them."""
    from evaluation.datasets.loading import known_layout, layout_of, read_questions
    from evaluation.datasets.summary import summarize

    with err().status("reading"):
        layout = known_layout(dataset) or layout_of(file)
        summary = summarize(read_questions(file, layout))
    if as_json:
        print_json({"path": str(file), "layout": layout, **summary})
        return
    out().print(Text.assemble((plural(summary["questions"], "question"), "bold"), f" in the layout of {layout}"))
    table = _two_columns()
    for label, value in _rows(summary):
        table.add_row(Text(label, style="dim"), value)
    out().print(table)
    if summary["example"]:
        _print_example(summary["example"])


def _rows(summary: "Summary") -> list[tuple[str, str]]:
    """What the counts say, in lines; those that say nothing are left out."""
    passages, gold, total = summary["passages"], summary["supporting"], summary["questions"]
    each = f"{passages['given']:,}, {passages['given'] / max(total, 1):.1f} a question"
    found = [
        ("types", _shares(summary["types"], "")),
        ("hops", _shares(summary["hops"], "?")),
        ("unanswerable", _number(summary["unanswerable"])),
        ("with aliases", _number(summary["with_aliases"])),
        ("with steps", _number(summary["with_steps"])),
        ("with key facts", _number(summary["with_key_facts"])),
        ("passages", f"{each}, longest {passages['longest']:,} characters" if passages["given"] else "none"),
        ("pooled", f"{passages['pooled']:,} different passages" if passages["given"] else ""),
        ("gold", _gold(summary)),
        ("without gold", plural(gold["questions_without"], "answerable question") if gold["paragraphs"] else ""),
    ]
    return [(label, said) for label, said in found if said and not said.startswith("0 ")]


def _number(count: int) -> str:
    return f"{count:,}" if count else ""


def _shares(counts: dict[str, int], unknown: str) -> str:
    """Kinds with their numbers, `bridge 768, comparison 232`; nothing when all are unknown."""
    if set(counts) <= {unknown}:
        return ""
    return ", ".join(listed((f"{name or 'none said'} {number:,}" for name, number in counts.items()), 12))


def _gold(summary: "Summary") -> str:
    gold = summary["supporting"]
    if not gold["paragraphs"]:
        return "not said"
    where = f"{gold['missing']:,} of them not among their question's passages" if gold["missing"] else ""
    return ", ".join(
        [
            plural(gold["paragraphs"], "supporting paragraph"),
            *([where if summary["passages"]["given"] else "by title"] if where else []),
        ]
    )


def _print_example(question: "Question") -> None:
    out().print(Text.assemble("\n", (question["question"], "bold cyan"), (f"   {question['id']}", "dim")))
    answer = question["answer"] if question["answerable"] else "cannot be answered from its passages"
    also = f"   also: {', '.join(question['aliases'])}" if question["aliases"] else ""
    out().print(Text.assemble((answer, "bold"), (also, "dim")))
    for number, step in enumerate(question["steps"], 1):
        found = f"  → {step['answer']}" if step["answer"] else ""
        out().print(Text.assemble((f"  #{number} ", "cyan"), step["question"], (found, "dim")))
    if question["key_facts"]:
        out().print(Text.assemble(("  key facts ", "dim"), ", ".join(question["key_facts"])))
    _print_passages(question)


def _print_passages(question: "Question") -> None:
    """Those that hold the answer first, with the sentences that do; then some of the others."""
    passages = {passage["key"]: passage for passage in question["passages"]}
    for entry in question["supporting"]:
        own = passages.pop(entry["passage"], None)
        said = " … ".join(entry["sentences"]) or (own["text"] if own else "")
        where = "  not among its passages" if question["passages"] and not own else ""
        _print_line(Text.assemble(("  gold ", "green"), (entry["title"], "bold"), f"  {_cut(said)}", (where, "dim")))
    for passage in list(passages.values())[: PASSAGES_SHOWN - len(question["supporting"])]:
        _print_line(Text.assemble("       ", (passage["title"], "bold"), f"  {_cut(passage['text'])}"))


def _print_line(line: Text) -> None:
    """On one line, cut off where the terminal ends."""
    out().print(line, no_wrap=True, overflow="ellipsis")


def _two_columns() -> Table:
    """Names and what is said of them, without a header."""
    table = columns("", "")
    table.show_header = False
    table.columns[0].no_wrap = True
    return table


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else f"{flat[: SHOWN - 1]}…"


def _source_object(entry: "Source") -> dict[str, Any]:
    return {
        "name": entry.name,
        "about": entry.about,
        "questions": entry.questions,
        "licence": entry.licence,
        "home": entry.home,
        "size": entry.size,
        "addresses": [download.url for download in entry.downloads],
    }


def _size(number: int) -> str:
    """Bytes, readable.

    >>> _size(4_024), _size(46_320_117)
    ('4 kB', '46 MB')
    """
    return f"{number / 1e6:,.0f} MB" if number >= 950_000 else f"{max(number / 1e3, 1):,.0f} kB"
