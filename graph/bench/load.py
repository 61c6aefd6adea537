"""load: flags → the questions that are asked, the rows that are compared, and a folder in which the run may go on."""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from evaluation.datasets.pooling import gold_documents
from evaluation.datasets.sampling import sample
from graph.bench.corpus import Asked, read_set
from graph.bench.finding import QuestionFile, find
from graph.bench.folder import Parts, code_version, open_folder, write_questions
from graph.bench.locking import released_on_error
from graph.bench.opening import Bench, bench_store
from graph.bench.rows import made_with, rows_of
from graph.bench.simulation import preset_of
from graph.bench.state import GIVEN, POOLED, BenchContext, BenchInput, Variant, flags_of
from graph.bench.telling import teller
from graph.bench.variants import variants_of
from graph.methods import NEEDS_PASSAGES
from stores.errors import InputError, NamespaceNotFound

POOL = "pool.jsonl"
"""Paragraphs on their way into the store; removed when they are there."""


async def load(state: BenchInput, runtime: Runtime[BenchContext], *, deps: Bench) -> dict[str, Any]:
    """Check everything that can be checked before the first question is asked, and read the questions.

    Raises:
        InputError: a flag, file, method or setting cannot be used, or the folder holds another run.
        ModelError: a language model is not there.
        NamespaceNotFound: there is no such namespace.
        StoreError: the folder cannot be written.
    """
    started = time.time()
    flags = flags_of({name: state[name] for name in BenchInput.__annotations__ if name in state})  # type: ignore[literal-required]
    preset_of(flags["simulate"])
    variants = variants_of(flags["methods"], flags["ablate"], flags["experiments"])
    file = await asyncio.to_thread(find, flags["file"], flags["dataset"])
    folder = Path(flags["out"] or Path("benchmarks") / file.name)
    teller(runtime, "load")(0, 0, str(file.path))
    made = await _made_with(variants, flags, runtime.context, file, deps)
    await asyncio.to_thread(open_folder, folder, made, fresh=flags["fresh"])
    with released_on_error(folder):
        found = await asyncio.to_thread(read_set, file.path, file.layout, flags["corpus"], folder / POOL)
        asked = sample(found.questions, flags["sample"], flags["seed"])
        _check(file, flags, found, variants)
        await asyncio.to_thread(write_questions, folder, asked)
    return {
        **flags,
        "out": str(folder),
        "name": file.name,
        "layout": file.layout,
        "sha256": file.sha256,
        "variants": variants,
        "questions": len(asked),
        "questions_in_file": len(found.questions),
        "passages": found.corpus.documents if _is_own(flags) else 0,
        "namespace": found.corpus.namespace if _is_own(flags) else flags["corpus"],
        **{"answered": 0, "failed": 0, "resumed": 0, "timed": 0, "scores": {}, "results": "", "report": ""},
        "notes": _notes(flags, len(found.questions)),
        "started_at": started,
        "timings_ms": Overwrite({}),
    }


def address_of(flags: Mapping[str, Any]) -> str | None:
    """The store that is searched; None for the one that the environment names."""
    return bench_store() if _is_own(flags) else flags["store"] or None


async def _made_with(
    variants: list[Variant], flags: Mapping[str, Any], base: BenchContext, file: QuestionFile, deps: Bench
) -> dict[str, Parts]:
    """What the answers of each variant are made with."""
    async with deps.open(address_of(flags)) as opened:
        run: dict[str, Any] = {
            "questions": file.sha256,
            "layout": file.layout,
            "corpus": flags["corpus"],
            "code": await asyncio.to_thread(code_version),
        }
        if not _is_own(flags):
            store = await opened.store()
            info = await store.info(flags["corpus"])
            if info is None or info.passages == 0:
                raise NamespaceNotFound(
                    f"--corpus: namespace {flags['corpus']!r} of the store at {store.address!r} holds no documents: "
                    f"take pooled or given, or put some in with `lookahead ingest PATH --namespace {flags['corpus']}`"
                )
            run |= {"store": store.address, "generation": info.generation}
        if flags["judge"] and await opened.chat_model("synthesizer", flags["judge"]) is None:
            raise InputError(f"--judge: {flags['judge']!r} is no language model: name one, such as groq")
        rows = rows_of(variants, opened, base, flags["settings"], {})
        return {row.name: await made_with(row, run, opened, flags["simulate"]) for row in rows}


def _check(file: QuestionFile, flags: Mapping[str, Any], found: Asked, variants: list[Variant]) -> None:
    if not found.questions:
        raise InputError(f"bench: {str(file.path)!r} holds no questions")
    if _is_own(flags) and not found.corpus.documents:
        raise InputError(
            f"--corpus: the questions of {str(file.path)!r} came without paragraphs: put the documents in with "
            "`lookahead ingest PATH --namespace NAME`, and take --corpus NAME"
        )

    oracle = next((row["name"] for row in variants if row["method"] in NEEDS_PASSAGES), None)
    if oracle and not any(gold_documents(question) for question in found.questions):
        raise InputError(
            f"--methods: {oracle!r} is shown the passages that hold the answer, and {str(file.path)!r} does not say "
            "which they are: leave it out"
        )


def _is_own(flags: Mapping[str, Any]) -> bool:
    """Whether the corpus is made of the questions' own paragraphs."""
    return flags["corpus"] in (POOLED, GIVEN)


def _notes(flags: Mapping[str, Any], there: int) -> list[str]:
    wanted = flags["sample"]
    if wanted is not None and wanted > there:
        return [f"A sample of {wanted:,} questions was asked for, and the file holds {there:,}: all of them are asked."]
    return []
