"""`lookahead bench`: runs the benchmark graph; `bench compare` and `bench record` tell of runs that are there."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from graph.cli.options import JsonOption
from graph.cli.output import err, out, print_json

if TYPE_CHECKING:
    from graph.bench.state import BenchInput
    from graph.cli.bench_progress import BenchProgress

app = typer.Typer(
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)


class Stopped(Exception):
    """Ctrl-C, with what is there by now."""


@app.callback()
def bench(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Questions: JSON, JSON lines or parquet, each also .gz. [dim]By default the fetched --dataset.[/]",
            show_default=False,
        ),
    ] = None,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="auto (from the content), hotpotqa, 2wiki, musique, squad, lmcache or jsonl; without --file, a set "
            "that `lookahead datasets fetch` brought.",
        ),
    ] = "auto",
    corpus: Annotated[
        str,
        typer.Option(
            metavar="pooled|given|NAMESPACE",
            help="What is searched: all paragraphs of the file, each question's own, or documents that you ingested.",
        ),
    ] = "pooled",
    methods: Annotated[
        str,
        typer.Option(metavar="A,B,…", help="What is compared; the first one is held against each of the others."),
    ] = "lookahead,standard_rag,ranked_rag,multi_query,sequential_plan,react",
    sample: Annotated[
        int | None, typer.Option(metavar="N", help="Questions drawn. [dim]By default all.[/]", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Which questions are drawn.")] = 0,
    latency_sample: Annotated[
        int, typer.Option(metavar="N", help="Questions asked once more, one at a time, to be timed; 0 for none.")
    ] = 100,
    simulate: Annotated[
        str,
        typer.Option(
            metavar="groq|ollama-cpu",
            help="Give each language call the wait of a real model; every time is then marked as simulated.",
            show_default=False,
        ),
    ] = "",
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of every method that has it.", show_default=False),
    ] = None,
    ablate: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="lookahead again without: prune, probe, bind, rerank, compress, check, fallback, schedule.",
            show_default=False,
        ),
    ] = "",
    experiments: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="YAML list of {name, hypothesis, method, settings}: a row each.",
            show_default=False,
        ),
    ] = None,
    parallel: Annotated[int, typer.Option(metavar="N", help="Questions asked at the same time, but for latency.")] = 4,
    judge: Annotated[
        str, typer.Option(metavar="MODEL", help="Language model that judges the answers.", show_default=False)
    ] = "",
    out_folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Where the results go. [dim]By default benchmarks/ and the name of the file.[/]",
            show_default=False,
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew where the folder holds another run.")] = False,
    store: Annotated[str, typer.Option(metavar="PATH", help="Store of --corpus NAMESPACE.", show_default=False)] = "",
    as_json: JsonOption = False,
) -> None:
    """Measure methods against each other on a set of questions, or compare two such runs.

    Every question is put to every method; results.json, report.md and report.html are written. A run that was stopped
    or killed goes on with the same command.
    """
    if context.invoked_subcommand is not None:
        return
    if file is None and dataset == "auto":
        out().print(context.get_help())
        raise typer.Exit
    from graph.cli.settings import read_assignments

    flags = {
        "file": str(file or ""),
        "dataset": dataset,
        "corpus": corpus,
        "store": store,
        "methods": _names(methods),
        "sample": sample,
        "seed": seed,
        "latency_sample": latency_sample,
        "simulate": simulate,
        "settings": read_assignments(assignments or []),
        "ablate": _names(ablate),
        "experiments": str(experiments or ""),
        "parallel": parallel,
        "judge": judge,
        "out": str(out_folder or ""),
        "fresh": fresh,
    }
    try:
        state = run_bench(flags, as_json)
    except Stopped as stopped:
        err().print(str(stopped), style="yellow")
        raise typer.Exit(130) from None
    from graph.cli.bench_summary import as_object, print_summary

    if as_json:
        print_json(as_object(state))
    else:
        print_summary(state)


@app.command("compare")
def compare_runs(
    before: Annotated[Path, typer.Argument(metavar="A", help="Folder of a run.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="Folder of another.")],
    everything: Annotated[bool, typer.Option("--all", help="Show figures that did not change too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what changed from one run to another, with intervals."""
    from evaluation.comparing import compare, comparison_text, load_run

    with err().status("comparing"):
        found = compare(load_run(before), load_run(after))
    if as_json:
        print_json({"changes": [{**c._asdict(), "better": c.better} for c in found.changes], "remarks": found.remarks})
    else:
        print(comparison_text(found, everything=everything))


@app.command("record")
def record_runs(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders of runs, in the order of the page.")],
    page: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Written there. [dim]By default printed.[/]", show_default=False),
    ] = None,
) -> None:
    """Put the figures of several runs on one page of Markdown, with intervals and settings."""
    from evaluation.report.record import record
    from evaluation.results import load_results
    from stores.errors import StoreError

    text = record([load_results(run) for run in runs])
    if page is None:
        print(text, end="")
        return
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"bench record: {str(page)!r} cannot be written ({error.strerror}); name another file"
        ) from error
    out().print(str(page))


def run_bench(flags: dict[str, Any], as_json: bool = False) -> dict[str, Any]:
    """Run the graph to its end under a progress bar; returns its final state.

    Raises:
        LookaheadError: a flag cannot be used, or the folder cannot be written.
        Stopped: Ctrl-C.
    """
    from graph.cli.bench_progress import BenchProgress

    with BenchProgress(quiet=as_json) as progress:
        return asyncio.run(_run(flags, progress))


async def _run(flags: dict[str, Any], progress: "BenchProgress") -> dict[str, Any]:
    from graph.benchmark import build

    given, state = cast("BenchInput", flags), dict[str, Any]()
    try:
        async for part in build().astream(given, stream_mode=["custom", "values"], version="v2"):
            if part["type"] == "custom":
                progress.update(part["data"])
            else:
                state = cast(dict[str, Any], part["data"])
    except asyncio.CancelledError:
        where = f" in {state.get('out') or flags['out']}" if state.get("out") or flags["out"] else ""
        raise Stopped(f"stopped: what is answered is kept{where}; run the same command again to go on") from None
    return state


def _names(text: str) -> list[str]:
    """Names with commas between them."""
    return [name for part in text.split(",") if (name := part.strip())]
