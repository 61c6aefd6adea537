"""The same questions on both stores, with the same vectors: recall, time beside each other, and where Neo4j's goes.

    python -m tests.bench.neo4j_questions FROM NAMESPACE FILE [--questions 300] [--at-once 50] [--version 5.26.0]

FROM is a folder that holds all paragraphs of the question set FILE in NAMESPACE, as `lookahead bench --file FILE`
leaves them in the user's cache. They are copied to a Neo4j server that is started for this, or to the one that
TEST_NEO4J_URI names; what an embedder takes is not in the times. At last many questions are asked at once: by search
alone, and as whole runs without a language model.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from evaluation.datasets.loading import load_dataset
from evaluation.datasets.pooling import gold_documents
from evaluation.datasets.records import Question
from evaluation.datasets.sampling import sample
from evaluation.latency import summarise
from evaluation.retrieval_metrics import recall_at
from evaluation.statistics import Interval, paired_interval
from models.embedder import Embedder, load_embedder
from stores.copying import copy
from stores.neo4j import Neo4jStore
from stores.neo4j_address import Neo4jSettings
from stores.opening import open_store
from stores.records import Hit, Matrix
from tests.bench.neo4j_calls import Calls, print_calls
from tests.bench.neo4j_crowd import ask_at_once
from tests.integration.neo4j_build import VERSIONS
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j, own_neo4j, serving
from tools.retrieval import StoreSearch

KS = (2, 5)
Ranking = list[str]


class Known:
    """An embedder that has all questions' vectors already: both stores get the same ones, and they take no time."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self.spec = embedder.spec
        self._vectors = dict(zip(texts, embedder.embed_queries(texts), strict=True))
        self._embedder = embedder

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """One that was not announced is embedded now."""
        if len(texts) == 1 and texts[0] in self._vectors:
            return np.stack([self._vectors[texts[0]]])
        return self._embedder.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """As the embedder does."""
        return self._embedder.embed_passages(texts)


async def compare(folder: StoreSearch, neo4j: StoreSearch, asked: Sequence[Question], calls: Calls) -> None:
    """Ask both, in turns, one question at a time; print recall, its difference, and times."""
    found: dict[str, dict[str, Ranking]] = {"folder": {}, "Neo4j": {}}
    took: dict[str, list[float]] = {"folder": [], "Neo4j": []}
    sides = {"folder": folder, "Neo4j": neo4j}
    for side in sides.values():
        await asyncio.gather(*(searched(side, question) for question in asked[:8]))  # both are warm
    for number, question in enumerate(asked):
        for name in sides if number % 2 else reversed(sides):
            with calls.noting(name == "Neo4j"):
                started = time.perf_counter()
                hits = await searched(sides[name], question)
                took[name].append(1000 * (time.perf_counter() - started))
            found[name][question["id"]] = [hit["document_id"] for hit in hits]
    for k in KS:
        values = {
            name: {q["id"]: recall_at(found[name][q["id"]], gold_documents(q), k) for q in asked} for name in sides
        }
        means = {name: 100 * sum(filter(None, each.values())) / len(each) for name, each in values.items()}
        difference = paired_interval(values["Neo4j"], values["folder"])
        print(f"Recall@{k}: folder {means['folder']:.2f}, Neo4j {means['Neo4j']:.2f}; {points(difference)}")
    same = sum(found["folder"][q["id"]][: max(KS)] == found["Neo4j"][q["id"]][: max(KS)] for q in asked)
    print(f"the same {max(KS)} passages in the same order for {same} of {len(asked)} questions")
    for name, times in took.items():
        print(f"search, one question at a time, {name}: {spread(times)}")


async def searched(side: StoreSearch, question: Question) -> list[Hit]:
    """Hits of a question, as a hop has them."""
    return await side.search(question["question"], mode="hybrid", limit=10)


def points(difference: Interval | None) -> str:
    """A difference of recalls in points."""
    assert difference is not None
    low, high = 100 * difference.low, 100 * difference.high
    return f"difference {100 * difference.value:+.2f} points [{low:+.2f}, {high:+.2f}] (95 %, paired bootstrap)"


def spread(times: Sequence[float]) -> str:
    """p50 and p95."""
    found = summarise(times)
    assert found is not None
    return f"p50 {found.p50:.0f} ms, p95 {found.p95:.0f} ms"


async def main(
    source: str, namespace: str, file: Path, count: int, at_once: int, server: Neo4jServer | OwnNeo4j
) -> None:
    """Print every figure."""
    asked = sample(load_dataset(file)["questions"], count)
    embedder = Known(load_embedder(), [question["question"] for question in asked])
    settings = Neo4jSettings(server.username, server.password, server.database)
    async with open_store(source, read_only=True) as here, Neo4jStore(server.uri, settings) as there:
        info = await here.info(namespace)
        assert info is not None, f"no namespace {namespace!r} in {source!r}"
        gold = list({key for question in asked for key in gold_documents(question)})
        missing = set(gold) - set(await here.content_hashes(namespace, gold))
        assert not missing, f"{len(missing)} gold passages of {file} are not in {namespace!r}"
        started = time.perf_counter()
        await copy(here, there, info, lambda _: None)
        took = time.perf_counter() - started
        print(f"Neo4j {server.version}; {info.passages} passages copied in {took:.0f} s; {len(asked)} questions")
        calls = Calls()
        both = StoreSearch(here, embedder, namespace), StoreSearch(there, embedder, namespace)
        await compare(*both, asked, calls)
        await print_calls(calls, (await there._opened()).server)
        await ask_at_once(there, embedder, namespace, [question["question"] for question in asked[:at_once]], server)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="FROM")
    parser.add_argument("namespace", metavar="NAMESPACE")
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--version", default=VERSIONS[0])
    given = parser.parse_args()
    own = own_neo4j()
    with nullcontext(own) if own else serving(given.version, as_owned=True) as server_asked:
        asyncio.run(main(given.source, given.namespace, given.file, given.questions, given.at_once, server_asked))
