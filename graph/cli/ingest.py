"""`lookahead ingest`: runs the ingest graph and shows how far it is."""

import asyncio
import time
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.text import Text

from graph.cli.options import JsonOption, NamespaceOption, StoreOption
from graph.cli.output import err, fail, listed, out, plural, print_json, warn
from stores.errors import LookaheadError

if TYPE_CHECKING:
    from graph.cli.ingest_progress import IngestProgress
    from nodes.ingest_context import IngestContext

FAILURES_SHOWN = 10


class Stopped(Exception):
    """Ctrl-C, with what is stored by now."""


def ingest(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Files (txt, md, html, json, jsonl, each also .gz) and folders."),
    ],
    namespace: NamespaceOption = "default",
    embedder: Annotated[
        str, typer.Option(metavar="NAME", help="Embedding model; auto: the namespace's own, else all-MiniLM-L6-v2.")
    ] = "auto",
    chunk_size: Annotated[int, typer.Option(help="Most characters of a passage.")] = 800,
    chunk_overlap: Annotated[int, typer.Option(help="Characters that neighbouring passages share.")] = 100,
    on_error: Annotated[
        str, typer.Option(metavar="skip|fail", help="What to do about a file that cannot be read.")
    ] = "skip",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put documents in, or update them: what has not changed since is passed over.

    A JSON line or object is {"title", "text"} with an optional "id"; other fields become metadata. A document is known
    by its id, else by its path.
    """
    settings = {
        "namespace": namespace,
        "embedder": embedder,
        "chunk_size": chunk_size,
        "chunk_overlap": chunk_overlap,
        "on_error": on_error,
    }
    started = time.perf_counter()
    try:
        address, state = run_ingest(paths, store, settings)
    except Stopped as stopped:
        err().print(str(stopped), style="yellow")
        raise typer.Exit(130) from None
    seconds = time.perf_counter() - started
    if as_json:
        print_json(as_object(state, address, namespace))
    else:
        print_summary(state, address, namespace, seconds)
    if state["counts"]["failed"]:
        raise typer.Exit(1)


def run_ingest(paths: list[str], store: str | None, settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Run the graph to its end under a progress bar.

    Returns:
        The store's address, and the final state.

    Raises:
        InputError: a setting cannot be used.
        Stopped: Ctrl-C.
    """
    from graph.cli.ingest_progress import IngestProgress

    with IngestProgress() as progress:
        from nodes.checked_settings import checked
        from nodes.ingest_context import IngestContext

        context = checked(IngestContext, settings, "ingest")
        return asyncio.run(_run(paths, store, context, progress))


async def _run(
    paths: list[str], address: str | None, context: "IngestContext", progress: "IngestProgress"
) -> tuple[str, dict[str, Any]]:
    from graph.ingest import build
    from nodes.deps import Deps

    state: dict[str, Any] = {}
    async with Deps(address) as deps:
        stream = build(deps).astream({"paths": paths}, context=context, stream_mode=["custom", "values"], version="v2")
        try:
            async for part in stream:
                if part["type"] == "custom":
                    progress.update(part["data"])
                else:
                    state = cast(dict[str, Any], part["data"])
        except asyncio.CancelledError:
            info = await (await deps.store()).info(context.namespace)
            stored = plural(info.documents if info else 0, "document")
            raise Stopped(f"stopped: {stored} are stored; run the same command again to go on") from None
        except LookaheadError:
            if state.get("counts", {}).get("passages"):
                warn("what was stored before is kept; run the same command again to go on")
            raise
        return (await deps.store()).address, state


def as_object(state: dict[str, Any], address: str, namespace: str) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "store": address,
        "namespace": namespace,
        **state["counts"],
        "files": state["files"],
        "skipped": state["skipped"],
        "failures": state["failures"],
        "duplicate_keys": state["duplicate_keys"],
        "embedder": state["embedder"],
        "warnings": state["warnings"],
        "timings_ms": state["timings_ms"],
    }


def print_summary(state: dict[str, Any], address: str, namespace: str, seconds: float) -> None:
    """What happened, and what did not."""
    counts, passages = state["counts"], state["counts"]["passages"]
    parts = [f"{counts[name]:,} {name}" for name in ("added", "updated", "unchanged", "failed")]
    style = "bold yellow" if counts["failed"] else "bold green"
    out().print(Text.assemble((", ".join(parts), style), (f" in {seconds:,.1f} s", "dim")))
    if passages:
        busy = sum(ms for name, ms in state["timings_ms"].items() if name != "total") / 1000
        rate = f"{passages / busy:,.0f}/s with {state['embedder']}"
        out().print(
            f"{plural(passages, 'passage')} stored ({rate}) in namespace '{namespace}' of {address}", style="dim"
        )
    if state["skipped"]:
        skipped = ", ".join(f"{number:,} {why}" for why, number in state["skipped"].items())
        out().print(f"skipped: {skipped}", style="dim")
    for warning in [*state["warnings"], *_duplicates(state)]:
        warn(warning)
    if counts["failed"]:
        fail(f"{plural(counts['failed'], 'entry').replace('entrys', 'entries')} could not be ingested:")
        lines = [f"{failure['source']} {failure['reason']}" for failure in state["failures"]]
        lines += [""] * (counts["failed"] - len(lines))
        for line in listed(lines, FAILURES_SHOWN):
            err().print(f"  {line}")


def _duplicates(state: dict[str, Any]) -> list[str]:
    number = state["counts"]["duplicates"]
    if not number:
        return []
    keys = ", ".join(repr(key) for key in state["duplicate_keys"][:5])
    return [f"{plural(number, 'document')} came again under an id of this run ({keys}); the last one is kept"]
