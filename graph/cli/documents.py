"""Commands on what is stored: stats, list, show, delete, clear, verify, reembed."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from graph.cli.opening import with_store
from graph.cli.options import AnyNamespaceOption, JsonOption, NamespaceOption, StoreOption
from graph.cli.output import columns, err, fail, out, plural, print_json
from stores.errors import InputError, NamespaceNotFound

if TYPE_CHECKING:
    from stores.base import PassageStore
    from stores.records import NamespaceInfo

KeyArgument = Annotated[str, typer.Argument(metavar="ID", help="The document's id, as `lookahead list` shows it.")]


def stats(namespace: AnyNamespaceOption = None, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Documents, passages, links and embedder of each namespace."""

    async def read(opened: "PassageStore") -> "tuple[str, list[NamespaceInfo]]":
        return opened.address, await _chosen(opened, namespace)

    address, infos = with_store(store, read)
    if as_json:
        print_json({"store": address, "namespaces": [_info_object(info) for info in infos]})
        return
    out().print(f"store {address}", style="dim")
    if not infos:
        out().print("It holds no documents yet: put some in with `lookahead ingest PATH`.")
        return
    table = columns("namespace", ">documents", ">passages", ">links", "embedder", "passage size")
    for info in infos:
        spec = info.spec
        numbers = [f"{number:,}" for number in (info.documents, info.passages, info.links)]
        size = f"{spec.chunk_size:,} (overlap {spec.chunk_overlap:,})"
        table.add_row(Text(info.name), *numbers, f"{spec.embedder.name}, {spec.embedder.dimension} d", size)
    out().print(table)


def list_documents(
    namespace: NamespaceOption = "default",
    offset: Annotated[int, typer.Option(min=0, help="Leave out the first ones.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 50,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the documents of a namespace, by id."""

    async def read(opened: "PassageStore") -> tuple[int, list[dict[str, Any]]]:
        info = await _existing(opened, namespace)
        return info.documents, [dict(d) for d in await opened.documents(namespace, offset=offset, limit=limit)]

    total, found = with_store(store, read)
    if as_json:
        print_json({"namespace": namespace, "total": total, "offset": offset, "documents": found})
        return
    table = columns("id", "title", ">passages", "source")
    for document in found:
        key = Text(document["id"], overflow="fold")  # whole: `show` and `delete` want it
        cells = [key, *(Text(document[name], overflow="ellipsis", no_wrap=True) for name in ("title", "source"))]
        table.add_row(cells[0], cells[1], f"{document['passages']:,}", cells[2])
    out().print(table)
    last = offset + len(found)
    if total > len(found):
        more = f"; go on with --offset {last}" if last < total else ""
        out().print(f"{offset + 1:,} to {last:,} of {total:,}{more}" if found else f"{total:,} in all", style="dim")


def show(
    key: KeyArgument, namespace: NamespaceOption = "default", store: StoreOption = None, as_json: JsonOption = False
) -> None:
    """Show a document with its passages, and the passages that they link to."""

    async def read(opened: "PassageStore") -> dict[str, Any]:
        await _existing(opened, namespace)
        found = await opened.document(namespace, key)
        if found is None:
            raise InputError(
                f"show: there is no document {key!r} in namespace {namespace!r}: `lookahead list` shows the ids"
            )
        document, passages = found
        links = await opened.links(namespace, [passage["id"] for passage in passages])
        ids = list(dict.fromkeys(id_ for linked in links.values() for id_ in linked["outgoing"]))
        titles = {passage["id"]: passage["title"] for passage in await opened.passages(namespace, ids)}
        pieces = [
            {
                "id": p["id"],
                "text": p["text"],
                "links_to": [titles[i] for i in links[p["id"]]["outgoing"] if i in titles],
            }
            for p in passages
        ]
        return {**document, "passages": pieces}

    document = with_store(store, read)
    if as_json:
        print_json({"namespace": namespace, **document})
        return
    out().print(Text(document["title"] or document["id"], style="bold"))
    about = [("id", document["id"]), ("source", document["source"]), *document["metadata"].items()]
    for name, value in about:
        said = ", ".join(map(str, value)) if isinstance(value, list) else value
        out().print(Text(f"{name}: {said}", style="dim"))
    for number, passage in enumerate(document["passages"], 1):
        out().print(Text(f"\n[{number}] ", style="cyan").append(passage["text"], style="default"))
        if passage["links_to"]:
            out().print(Text(f"    links to {', '.join(dict.fromkeys(passage['links_to']))}", style="dim"))


def delete(
    keys: Annotated[list[str], typer.Argument(metavar="ID", help="Ids, as `lookahead list` shows them.")],
    namespace: NamespaceOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete documents."""

    async def work(opened: "PassageStore") -> tuple[int, list[str]]:
        await _existing(opened, namespace)
        known = await opened.content_hashes(namespace, keys)
        return await opened.delete(namespace, keys), [key for key in keys if key not in known]

    number, missing = with_store(store, work)
    if as_json:
        print_json({"namespace": namespace, "deleted": number, "missing": missing})
    else:
        out().print(f"{plural(number, 'document')} deleted")
    if missing:
        names = ", ".join(map(repr, missing))
        fail(f"delete: not in namespace {namespace!r}: {names}; `lookahead list` shows the ids")
        raise typer.Exit(1)


def clear(
    namespace: NamespaceOption = "default",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a namespace with all its documents."""

    async def count(opened: "PassageStore") -> tuple[str, int]:
        return opened.address, (await _existing(opened, namespace)).documents

    async def work(opened: "PassageStore") -> int:
        return await opened.clear(namespace)

    address, documents = with_store(store, count)
    if not yes:
        if not asked_at_a_terminal():
            raise InputError(
                f"clear: {plural(documents, 'document')} of namespace {namespace!r} would be deleted and nobody can be "
                "asked here: add --yes"
            )
        typer.confirm(
            f"Delete all {documents:,} documents of namespace '{namespace}' in {address}?", abort=True, err=True
        )
    number = with_store(store, work)
    if as_json:
        print_json({"namespace": namespace, "deleted": number})
    else:
        out().print(f"{plural(number, 'document')} deleted, namespace '{namespace}' is gone")


def verify(namespace: AnyNamespaceOption = None, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Check that nothing stored is lost, doubled or out of step."""

    async def work(opened: "PassageStore") -> "list[tuple[NamespaceInfo, list[str]]]":
        return [(info, await opened.verify(info.name)) for info in await _chosen(opened, namespace)]

    with err().status("verifying"):
        found = with_store(store, work)
    problems = {info.name: said for info, said in found}
    sound = not any(problems.values())
    if as_json:
        print_json({"sound": sound, "namespaces": problems})
    elif not found:
        out().print("The store is empty: nothing to verify.")
    else:
        for info, said in found:
            held = ", ".join(plural(n, t) for n, t in ((info.documents, "document"), (info.passages, "passage")))
            out().print(
                Text.assemble(
                    ("sound  " if not said else "broken ", "bold green" if not said else "bold red"),
                    f"{info.name}  ",
                    (f"{held}, {plural(info.links, 'link')}", "dim"),
                )
            )
            for problem in said:
                out().print(f"  {problem}")
    if not sound:
        raise typer.Exit(1)


def reembed(
    namespace: NamespaceOption = "default",
    embedder: Annotated[str, typer.Option(metavar="NAME", help="The embedding model to use.")] = "all-MiniLM-L6-v2",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Embed a namespace anew, with another model; until the last moment the old vectors stay in use."""
    from graph.cli.reembedding import reembed_namespace

    passages, name = reembed_namespace(store, namespace, embedder)
    if as_json:
        print_json({"namespace": namespace, "embedder": name, "passages": passages})
    else:
        out().print(f"{plural(passages, 'passage')} of namespace '{namespace}' are embedded with {name} now")


def asked_at_a_terminal() -> bool:
    """Whether somebody sits there who can answer."""
    return sys.stdin.isatty()


async def _chosen(store: "PassageStore", namespace: str | None) -> "list[NamespaceInfo]":
    return await store.namespaces() if namespace is None else [await _existing(store, namespace)]


async def _existing(store: "PassageStore", namespace: str) -> "NamespaceInfo":
    info = await store.info(namespace)
    if info is None:
        names = ", ".join(repr(other.name) for other in await store.namespaces())
        raise NamespaceNotFound(
            f"store: there is no namespace {namespace!r} in {store.address}: "
            + (
                f"it has {names}; name one with --namespace"
                if names
                else "put documents in with `lookahead ingest PATH`"
            )
        )
    return info


def _info_object(info: "NamespaceInfo") -> dict[str, Any]:
    spec = info.spec
    return {
        "name": info.name,
        "documents": info.documents,
        "passages": info.passages,
        "links": info.links,
        "generation": info.generation,
        "embedder": {"name": spec.embedder.name, "dimension": spec.embedder.dimension},
        "chunk_size": spec.chunk_size,
        "chunk_overlap": spec.chunk_overlap,
    }
