"""`lookahead migrate-store`: copies namespaces from one store to another, under a progress bar."""

import asyncio
import functools
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from graph.cli.ingest import Stopped
from graph.cli.options import JsonOption
from graph.cli.output import columns, err, fail, out, plural, print_json, warn
from stores.errors import InputError, LookaheadError, NamespaceNotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.cli.ingest_progress import IngestProgress
    from stores.base import PassageStore
    from stores.comparing import Compared
    from stores.copying import Progress
    from stores.records import NamespaceInfo


@dataclass(frozen=True, slots=True)
class Migrated:
    """What became of one namespace; `compared` is None when nothing was to be written."""

    name: str
    done: "Progress"
    compared: "Compared | None"


def migrate_store(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="The store to copy from: a folder, or neo4j://HOST. It is only read.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="The store to copy to: a folder, or neo4j://HOST. Made if need be.")
    ],
    namespace: Annotated[
        list[str] | None,
        typer.Option(
            "--namespace",
            "-n",
            metavar="NAME",
            help="Which documents; may be given several times. [dim]By default all.[/]",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be copied, and write nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Copy documents with their vectors and links to another store; nothing is embedded again.

    What TO holds already is passed over: after a stop, the same command goes on.

    What TO holds in another version is replaced, what it alone holds stays.

    The login of Neo4j stands in NEO4J_USERNAME and NEO4J_PASSWORD.

    The exit code is 0 when both stores count the same documents, passages and links.
    """
    try:
        addresses, migrated, seconds = _migrate(source, target, namespace, dry_run)
    except Stopped as stopped:
        err().print(str(stopped), style="yellow")
        raise typer.Exit(130) from None
    if as_json:
        print_json(_as_object(addresses, migrated, dry_run))
    else:
        _print_summary(addresses, migrated, dry_run, seconds)
    problems = [it.compared.problem for it in migrated if it.compared and it.compared.problem]
    for problem in problems:
        fail(problem)
    if problems:
        raise typer.Exit(1)


def _migrate(
    source: str, target: str, names: "Sequence[str] | None", dry_run: bool
) -> tuple[tuple[str, str], list[Migrated], float]:
    """Run under a progress bar; returns both addresses, what became of each namespace, and the seconds it took."""
    from graph.cli.ingest_progress import IngestProgress
    from nodes.settings import Settings

    settings = Settings()
    here, there = settings.open_store(source, read_only=True), settings.open_store(target, read_only=dry_run)
    if os.path.realpath(here.address) == os.path.realpath(there.address):
        raise InputError(f"migrate-store: {source!r} and {target!r} are the same store: name two")
    started = time.perf_counter()
    with IngestProgress() as progress:
        migrated = asyncio.run(_run(here, there, names, dry_run, progress))
    return (here.address, there.address), migrated, time.perf_counter() - started


async def _run(
    source: "PassageStore",
    target: "PassageStore",
    names: "Sequence[str] | None",
    dry_run: bool,
    progress: "IngestProgress",
) -> list[Migrated]:
    from stores.comparing import check_target

    shown, begun = _Shown(progress), False
    async with source, target:
        try:
            infos = await _chosen(source, names)
            held = [await check_target(info, target) for info in infos]
            shown.total = sum(info.passages for info in infos)
            begun = not dry_run
            return [
                await _one(source, target, info, documents, dry_run, shown)
                for info, documents in zip(infos, held, strict=True)
            ]
        except asyncio.CancelledError:
            stored = "nothing was written" if dry_run else f"{plural(shown.documents, 'document')} copied"
            raise Stopped(f"stopped: {stored}; run the same command again to go on") from None
        except LookaheadError:
            if begun:  # also when nothing is counted yet: a commit may have been made whose answer got lost
                warn("what was copied before is kept; run the same command again to go on")
            raise


async def _one(
    source: "PassageStore", target: "PassageStore", info: "NamespaceInfo", held: int, dry_run: bool, shown: "_Shown"
) -> Migrated:
    from stores.comparing import compare_counts
    from stores.copying import copy, count

    report = functools.partial(shown.show, info.name)
    if dry_run:
        return Migrated(info.name, await count(source, target, info.name, report), None)
    done = await copy(source, target, info, report)
    others = held - done.unchanged - done.updated
    return Migrated(info.name, done, await compare_counts(source, target, info, others, done.missed))


class _Shown:
    """Adds up what the namespaces report, for one bar."""

    def __init__(self, progress: "IngestProgress") -> None:
        self._progress = progress
        self._parts: dict[str, Progress] = {}
        self.total = 0

    @property
    def documents(self) -> int:
        """Documents written."""
        return sum(part.added + part.updated for part in self._parts.values())

    def show(self, name: str, done: "Progress") -> None:
        """Show how far this namespace is, and with it the whole."""
        self._parts[name] = done
        parts = self._parts.values()
        self._progress.show(
            name,
            sum(part.passed for part in parts),
            self.total,
            passages=sum(part.passages for part in parts),
            unchanged=sum(part.unchanged for part in parts),
        )


async def _chosen(source: "PassageStore", names: "Sequence[str] | None") -> "list[NamespaceInfo]":
    """The namespaces named, in the order given; all of them by default."""
    there = {info.name: info for info in await source.namespaces()}
    if not there:
        raise NamespaceNotFound(f"migrate-store: {source.address} holds no documents; is the address right?")
    missing = [name for name in names or () if name not in there]
    if missing:
        raise NamespaceNotFound(
            f"migrate-store: there is no namespace {missing[0]!r} in {source.address}: it has "
            f"{', '.join(map(repr, there))}"
        )
    return [there[name] for name in dict.fromkeys(names or there)]


def _as_object(addresses: tuple[str, str], migrated: list[Migrated], dry_run: bool) -> dict[str, Any]:
    namespaces = []
    for it in migrated:
        done, compared = it.done, it.compared
        namespace: dict[str, Any] = {
            "name": it.name,
            "added": done.added,
            "updated": done.updated,
            "unchanged": done.unchanged,
            "passages": done.passages,
        }
        if compared:
            namespace |= {
                "source": _counts(compared.source),
                "target": _counts(compared.target),
                "only_in_target": compared.others,
                "problem": compared.problem or None,
            }
        namespaces.append(namespace)
    return {"from": addresses[0], "to": addresses[1], "dry_run": dry_run, "namespaces": namespaces}


def _counts(info: "NamespaceInfo") -> dict[str, int]:
    return {"documents": info.documents, "passages": info.passages, "links": info.links}


def _print_summary(addresses: tuple[str, str], migrated: list[Migrated], dry_run: bool, seconds: float) -> None:
    """What was copied, what both stores hold now, and what differs without being wrong."""
    made = ("to add", "to update", "unchanged", "passages to copy") if dry_run else ("added", "updated", "unchanged")
    held = () if dry_run else ("documents", "passages", "links")
    table = columns("namespace", *(f">{name}" for name in (*made, *held)))
    for it in migrated:
        numbers = [it.done.added, it.done.updated, it.done.unchanged]
        numbers += list(_counts(it.compared.target).values()) if it.compared else [it.done.passages]
        table.add_row(Text(it.name), *(f"{number:,}" for number in numbers))
    out().print(table)
    source, target = addresses
    if dry_run:
        out().print(f"nothing was written: this is what would go from {source} to {target}", style="dim")
        return
    passages = sum(it.done.passages for it in migrated)
    rate = f" ({passages / seconds:,.0f}/s)" if passages else ""
    out().print(
        f"{plural(passages, 'passage')} copied in {seconds:,.1f} s{rate} from {source} to {target}", style="dim"
    )
    for it in migrated:
        if it.compared and it.compared.others and not it.compared.problem:
            held_too = plural(it.compared.others, "document")
            warn(f"namespace {it.name!r} of {target} also holds {held_too} that the source has not; they stay")
    if not any(it.compared and (it.compared.others or it.compared.problem) for it in migrated):
        out().print("both stores count the same documents, passages and links", style="dim")
