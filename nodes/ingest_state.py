"""The typed state of the ingest graph: where it is and what it counted, never documents or vectors.

A cursor is enough to go on: documents of the current batch are read again from there when a run is resumed elsewhere.
"""

from typing import Annotated, Any, NotRequired

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

from nodes.state import add_up


class Cursor(TypedDict):
    """A place in the sources."""

    file: int
    """Number of the file, from 0."""
    path: str
    """Its path, should the folder have changed meanwhile; empty at the start and at the end."""
    record: int
    """Records of this file that lie before."""
    bytes: int
    """Bytes on disk that lie before, over all files."""


class FailureRecord(TypedDict):
    """Something that could not be ingested."""

    source: str
    """Path, and line or item number where there is one."""
    reason: str


class Counts(TypedDict):
    """What happened so far, in documents unless said otherwise."""

    added: int
    updated: int
    unchanged: int
    failed: int
    duplicates: int
    """Came again under a key of this run; the last one is kept."""
    passages: int
    """Passages stored."""


class IngestInput(TypedDict):
    """What a run is given: paths, or documents; where there are documents, they alone are taken."""

    paths: NotRequired[list[str]]
    """Files and folders; a server reads those under its INGEST_ROOT alone."""
    documents: NotRequired[Annotated[list[dict[str, Any]], EphemeralValue]]
    """Documents as they are: {"title", "text"} with an optional "id"; other fields become metadata. Ephemeral, or the
    next run of the thread would inherit them."""


class IngestState(TypedDict, total=False):
    """Everything a run knows. No reducers but for the timings: nothing runs in parallel."""

    paths: list[str]
    documents: Annotated[list[dict[str, Any]], EphemeralValue]
    """As they were given; `inline` keeps them."""
    inline: list[dict[str, Any]]
    """The same until the last batch is stored: a run that is killed is resumed with them."""
    context: dict[str, Any]
    """The settings that the run began with: a resumed one goes on with them."""
    run: str
    """Names this run; whoever holds its documents finds them by it."""
    files: int
    bytes: int
    """Of all files, as they lie on disk."""
    skipped: dict[str, int]
    """Files of a folder that are not ours: reason → number."""
    embedder: str
    """The model that is used."""
    cursor: Cursor
    """Where the current batch begins."""
    next: Cursor
    """Where it ends."""
    done: bool
    """The current batch is the last one."""
    counts: Counts
    failures: list[FailureRecord]
    """The first hundred."""
    duplicate_keys: list[str]
    """The first ten."""
    warnings: list[str]
    started_at: float
    """Seconds since the epoch."""
    timings_ms: Annotated[dict[str, float], add_up]
    """Wall time of each stage, added up over the batches, and "total"."""
