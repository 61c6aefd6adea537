"""What the steps of a benchmark share: models that stay loaded, and deps over the store that is searched."""

from collections.abc import Callable
from typing import Any

from graph.bench.simulated import Calls, SimulatedAgent, SimulatedPlanner, SimulatedRewriter, SimulatedSynthesizer
from graph.bench.simulation import preset_of
from models.agent import EmbeddedAgent
from models.planner import EmbeddedPlanner
from models.reader import Reader
from models.rewriter import EmbeddedRewriter
from models.synthesizer import EmbeddedSynthesizer
from models.trained_reader import load_reader
from models.user_cache import cache_folder
from nodes.context import DEFAULT_READER
from nodes.deps import Deps


class Bench:
    """Opens deps.

    Args:
        make: makes them, from the address of a store and the arguments of `Deps`.
        reader: reads everything, whatever a row's settings name.
    """

    def __init__(self, make: Callable[..., Deps] = Deps, reader: Reader | None = None) -> None:
        self._make = make
        self._reader = reader

    def open(self, address: str | None, simulate: str = "") -> Deps:
        """Deps over a store; with simulated calls where a preset is named.

        Raises:
            InputError: there is no such preset.
        """
        roles: dict[str, Any] = {"reader": self._reader} if self._reader else {}
        if preset := preset_of(simulate):
            calls, reader = Calls(preset), self._reader or load_reader(DEFAULT_READER)
            roles |= {
                "reader": reader,
                "planner": SimulatedPlanner(EmbeddedPlanner(), calls),
                "agent": SimulatedAgent(EmbeddedAgent(reader), calls),
                "rewriter": SimulatedRewriter(EmbeddedRewriter(), calls),
                "synthesizer": SimulatedSynthesizer(EmbeddedSynthesizer(reader), calls),
            }
        return self._make(address, **roles)


def bench_store() -> str:
    """Where corpora made of question sets are kept: in the user's cache, and nowhere near the user's own documents."""
    return str(cache_folder() / "benchmarks")
