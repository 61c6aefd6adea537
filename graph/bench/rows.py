"""The rows of a benchmark as they are run: graph, settings, and what the answers are made with."""

from collections.abc import Mapping, Sequence
from typing import Any

from graph.assembling import SETTINGS, AnsweringGraph
from graph.bench.folder import Parts, fingerprint
from graph.bench.running import Row
from graph.bench.state import BenchContext, Variant
from graph.methods import METHODS, NEEDS_MODEL
from nodes.checked_settings import checked
from nodes.context import DEFAULT_READER, Context
from nodes.deps import Deps
from stores.errors import InputError

EMBEDDED = "embedded"


def rows_of(
    variants: Sequence[Variant], deps: Deps, base: BenchContext, settings: Mapping[str, Any], made: Mapping[str, Parts]
) -> list[Row]:
    """The variants, ready to run; those of one method share its graph.

    Raises:
        InputError: a setting cannot be used.
    """
    graphs = {method: METHODS[method](deps) for method in dict.fromkeys(row["method"] for row in variants)}
    contexts = contexts_of(variants, graphs, base, settings)
    return [
        Row(row, graphs[row["method"]], contexts[row["name"]], fingerprint(made.get(row["name"], {})))
        for row in variants
    ]


def contexts_of(
    variants: Sequence[Variant], graphs: Mapping[str, AnsweringGraph], base: BenchContext, settings: Mapping[str, Any]
) -> dict[str, Context]:
    """Settings of each variant: those of the run, then those said for all methods that have them, then its own.

    Raises:
        InputError: an unknown setting, or a value out of range.
    """
    kinds = {method: type(SETTINGS[graph]) for method, graph in graphs.items()}
    known = {field for kind in kinds.values() for field in kind.model_fields}
    if unknown := {name: value for name, value in settings.items() if name not in known}:
        checked(next(iter(kinds.values())), unknown, "--set")  # raises, and says what is meant
    found = {}
    for row in variants:
        kind = kinds[row["method"]]
        shared = {name: value for name, value in settings.items() if name in kind.model_fields}
        found[row["name"]] = checked(kind, {**base.model_dump(), **shared, **row["settings"]}, row["name"])
    return found


async def made_with(row: Row, run: Parts, deps: Deps, simulate: str) -> Parts:
    """What the answers of a row are made with.

    Args:
        row: the variant.
        run: what is the same for all of them: questions, corpus, code.
        deps: names the models.
        simulate: the preset, if any.

    Raises:
        ModelError: a model is not there.
        InputError: calls of a real model cannot be simulated.
    """
    settings = row.context.model_dump(exclude={"namespace"})
    names = {"planner": row.context.planner, "synthesizer": row.context.synthesizer}
    for role, name in names.items():
        if simulate and name not in (EMBEDDED, "none"):
            raise InputError(
                f"--simulate: {role}={name!r} of {row.name!r} is a real model: leave --simulate out to measure it, or "
                f"set {role}=embedded"
            )
    if simulate and row.context.reader != DEFAULT_READER:
        raise InputError(
            f"--simulate: {row.name!r} asks for reader={row.context.reader!r}, and simulated models read with "
            f"{DEFAULT_READER!r}: leave --simulate out to measure it"
        )
    planner, synthesizer = [
        None if name == "none" else await deps.chat_model(role, name)  # type: ignore[arg-type]
        for role, name in names.items()
    ]
    if row.variant["method"] in NEEDS_MODEL and synthesizer is None:
        raise InputError(
            f"--methods: {row.name!r} answers from what a language model knows, and there is none: leave it out, or "
            "name one with --set synthesizer=groq"
        )
    models = {
        "planner": planner.name if planner else EMBEDDED,
        "synthesizer": synthesizer.name if synthesizer else EMBEDDED,
    }
    return {**run, "method": row.variant["method"], "settings": settings, "models": models, "simulated": simulate}
