"""A namespace in two stores: whether the second may take a copy of the first, and whether a copy is like it.

Knows the `PassageStore` protocol and counts; reads no document.
"""

from dataclasses import dataclass, fields

from stores.base import PassageStore
from stores.errors import EmbedderMismatch, StoreError
from stores.records import EmbedderSpec, IngestSpec, NamespaceInfo


@dataclass(frozen=True, slots=True)
class Compared:
    """A namespace in both stores after it was copied."""

    source: NamespaceInfo
    target: NamespaceInfo
    others: int
    """Documents of the target that the source has not."""
    problem: str
    """What is not as it should be, and what to do; empty when all is well."""


async def check_target(source: NamespaceInfo, target: PassageStore) -> int:
    """See that the target may take this namespace: it has none of this name, or one made in the same way.

    Returns:
        How many documents it holds there.

    Raises:
        EmbedderMismatch: it was made with another embedder.
        StoreError: it was cut with another chunk size or overlap.
    """
    there = await target.info(source.name)
    if there is None:
        return 0
    name, embedder = source.name, source.spec.embedder
    about = f"migrate-store: namespace {name!r} of {target.address}"
    clear = f"`lookahead clear --namespace {name} --store {target.address}`"
    if said := _differing(embedder, there.spec.embedder):
        raise EmbedderMismatch(
            f"{about} was made with another embedder ({said}); nothing was copied: delete it with {clear}, or give it "
            f"the source's with `lookahead reembed --namespace {name} --embedder {embedder.name} "
            f"--store {target.address}`"
        )
    if said := _differing(source.spec, there.spec):
        raise StoreError(
            f"{about} was cut otherwise ({said}) and a copy would mix the two; nothing was copied: delete it with "
            f"{clear}"
        )
    return there.documents


def _differing(ours: EmbedderSpec | IngestSpec, theirs: EmbedderSpec | IngestSpec) -> str:
    pairs = [(field.name, getattr(ours, field.name), getattr(theirs, field.name)) for field in fields(ours)]
    return ", ".join(f"{name} {there!r} where the source has {here!r}" for name, here, there in pairs if here != there)


async def compare_counts(
    source: PassageStore, target: PassageStore, before: NamespaceInfo, others: int, missed: int
) -> Compared:
    """Compare documents, passages and links of a namespace that was just copied.

    Args:
        source: it was copied from here.
        target: it was copied to here.
        before: the source's, when the copying began.
        others: documents of the target that the source has not; if there are any, passages and links may differ.
        missed: documents that could not be read whole.
    """
    name = before.name
    here, there = await source.info(name), await target.info(name)
    if here is None or there is None:
        gone = source if here is None else target
        raise StoreError(f"migrate-store: namespace {name!r} of {gone.address} was deleted while it was being copied")
    problem = ""
    if missed or here.generation != before.generation:
        problem = (
            f"migrate-store: namespace {name!r} of {source.address} was written to while it was being copied; "
            "run the same command again"
        )
    elif there.documents != here.documents + others or (not others and _counts(here) != _counts(there)):
        more = f" and {others:,} documents of its own" if others else ""
        problem = (
            f"migrate-store: namespace {name!r} differs: {_described(here)} in {source.address}, {_described(there)} "
            f"in {target.address}{more}; see what `lookahead verify` says of both, then "
            f"`lookahead clear --namespace {name} --store {target.address}` and run the same command again"
        )
    return Compared(here, there, others, problem)


def _counts(info: NamespaceInfo) -> tuple[int, int, int]:
    return info.documents, info.passages, info.links


def _described(info: NamespaceInfo) -> str:
    return f"{info.documents:,} documents, {info.passages:,} passages and {info.links:,} links"
