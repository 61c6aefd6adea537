"""`lookahead demo`: the shipped sample, three questions about it, and what to type next."""

import shlex
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from graph.cli.options import JsonOption
from graph.cli.output import err, out, plural, print_json, warn

if TYPE_CHECKING:
    from graph.cli.session import Session

NamespaceOption = Annotated[str, typer.Option("--namespace", "-n", metavar="NAME", help="Where the sample goes.")]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PATH",
        help="Where the sample is kept. [dim]By default in the cache folder.[/]",
        show_default=False,
    ),
]


def demo(namespace: NamespaceOption = "sample", store: StoreOption = None, as_json: JsonOption = False) -> None:
    """See it work: ingest the shipped sample and answer three questions about it, all on this machine."""
    from evaluation.sample import passages_path, questions
    from graph.cli.ingest import run_ingest
    from models.user_cache import cache_folder

    address = store or str(cache_folder() / "demo")
    started = time.perf_counter()
    _, state = run_ingest([str(passages_path())], address, {"namespace": namespace})
    if not as_json:
        _print_ingested(state, time.perf_counter() - started)
    with err().status("starting"):
        from graph.cli.session import Session
        from nodes.context import Context

        context = Context(namespace=namespace, planner="embedded", synthesizer="embedded")
    asked = [question["question"] for question in questions() if question.get("demo")]
    with Session(address, context) as session:
        if as_json:
            print_json({"results": [session.ask(question) for question in asked]})
            return
        _print_answers(session, asked)
    out().print(Text.assemble("\n", (f"{time.perf_counter() - started:.1f} s", "bold"), (" for all of it", "dim")))
    _print_next(namespace, address)


def _print_ingested(state: dict[str, Any], seconds: float) -> None:
    counts = state["counts"]
    documents = plural(counts["added"] + counts["updated"] + counts["unchanged"], "document")
    fresh = "unchanged since the last time" if not counts["passages"] else "ingested"
    out().print(Text.assemble((documents, "bold"), f" of the shipped sample {fresh}", (f" in {seconds:.1f} s", "dim")))
    for warning in state["warnings"]:
        warn(warning)


def _print_answers(session: "Session", asked: list[str]) -> None:
    from graph.cli.answer import print_answer

    for number, question in enumerate(asked, 1):
        out().print(f"\n{number}. {question}\n", style="bold cyan")
        print_answer(out(), session.ask(question))


def _print_next(namespace: str, address: str) -> None:
    where = shlex.join(["--namespace", namespace, "--store", address])
    out().print("\nAsk the sample yourself:")
    out().print(f"  lookahead ask {where}", style="bold", soft_wrap=True)
    out().print("Ask your own documents:")
    out().print("  lookahead ingest PATH && lookahead ask", style="bold", soft_wrap=True)
