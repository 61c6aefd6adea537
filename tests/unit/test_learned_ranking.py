"""A query to ranked hits, over a store that finds words, names and links as a real one does."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from models.rank_terms import stems_in_order
from stores.records import Hit, Passage
from tools.candidates import Gathering, Pool
from tools.learned_ranking import first_pass
from tools.rank_features import FEATURES, features, formula, measure
from tools.retrieval import PlainSearch, StoreSearch

TEXTS = {
    "Plan 9": "Plan 9 is a film that was directed by Ed Wood.",
    "Ed Wood": "Ed Wood was an American filmmaker who was born in Poughkeepsie.",
    "Ed Wood (film)": "Ed Wood is a biographical film directed by Tim Burton.",
    "Tim Burton": "Tim Burton is a director who grew up in Burbank.",
    "Vassar": "Vassar is a college in Poughkeepsie that was founded by Matthew Vassar in 1861.",
    "Bananas": "Bananas are yellow fruits that grow on plants of the tropics.",
}
FILLER = {f"Page {n}": f"Page {n} tells of nothing in particular, number {n}." for n in range(40)}


class WordStore:
    """Counts common stems; a passage links to another when its text holds the other's title without parenthesis."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.asked: list[str] = []

    async def search_text(self, namespace: str, query: str, limit: int) -> list[tuple[str, float]]:
        self.asked.append(query)
        wanted = set(stems_in_order(query))
        scores = {t: float(len(wanted & set(stems_in_order(f"{t} {text}")))) for t, text in self.texts.items()}
        return sorted(((t, s) for t, s in scores.items() if s), key=lambda found: (-found[1], found[0]))[:limit]

    async def search_texts(self, namespace: str, queries: Sequence[str], limit: int) -> list[list[tuple[str, float]]]:
        return [await self.search_text(namespace, query, limit) if query else [] for query in queries]

    async def search_vector(self, namespace: str, vector: Any, limit: int) -> list[tuple[str, float]]:
        return [(title, 0.3) for title in list(self.texts)[:2]]

    async def named_in(self, namespace: str, text: str, limit: int = 50) -> list[tuple[str, str]]:
        return [(title, bare(title)) for title in self.texts if bare(title) in text]

    async def links(self, namespace: str, ids: Sequence[str]) -> dict[str, Any]:
        return {
            i: {
                "outgoing": [o for o in self.texts if o != i and bare(o) in self.texts[i] and bare(o) != bare(i)],
                "incoming": [o for o in self.texts if o != i and bare(i) in self.texts[o] and bare(o) != bare(i)],
            }
            for i in ids
        }

    async def vectors(self, namespace: str, ids: Sequence[str]) -> dict[str, Any]:
        return {i: np.array([0.3, 0.954], np.float32) for i in ids}

    async def passages(self, namespace: str, ids: Sequence[str]) -> list[Passage]:
        known = [i for i in ids if i in self.texts]
        return [Passage(id=i, document_id=i, title=i, text=self.texts[i], metadata={}) for i in known]


class FixedEmbedder:
    def embed_queries(self, texts: Sequence[str]) -> Any:
        return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))


def bare(title: str) -> str:
    return title.partition(" (")[0]


async def found(query: str, **changes: Any) -> list[Hit]:
    search = StoreSearch(WordStore({**TEXTS, **FILLER}), FixedEmbedder(), "default")  # type: ignore[arg-type]
    return await search.search(query, **{"mode": "hybrid", "limit": 5, **changes})


async def begun(query: str, texts: dict[str, str]) -> tuple[WordStore, Gathering, Pool]:
    store = WordStore(texts)
    gathering = Gathering(store, "default")  # type: ignore[arg-type]
    return store, gathering, await gathering.begin(query, np.array([1.0, 0.0], np.float32))


async def test_the_second_hop_comes_before_what_has_nothing_to_do_with_it() -> None:
    titles = [hit["title"] for hit in await found("Where was the director of Plan 9 born?")]
    assert set(titles[:2]) == {"Plan 9", "Ed Wood"}


@pytest.mark.parametrize("mode", ["hybrid", "bm25", "dense"])
async def test_each_way_of_searching_finds_what_is_named(mode: str) -> None:
    hits = await found("Who directed Plan 9?", mode=mode)
    assert hits[0]["title"] == "Plan 9"
    assert hits[0]["title_match"] == 1.0
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert all(0 <= hit["score"] <= 1 for hit in hits)


async def test_a_hit_says_which_features_spoke_for_it_and_who_names_it() -> None:
    hits = {hit["title"]: hit for hit in await found("Where was the director of Plan 9 born?")}
    assert 0 < len(hits["Ed Wood"]["why"]) <= 3
    assert set(hits["Ed Wood"]["why"]) <= set(FEATURES)
    assert hits["Ed Wood"]["linked_from"] == ["Plan 9"]
    assert "Ed Wood" in hits["Plan 9"]["mentions"]


async def test_what_is_linked_with_the_passages_asked_for_comes_first() -> None:
    assert [h["title"] for h in await found("yellow fruits", limit=1)] == ["Bananas"]
    near = await found("yellow fruits", limit=1, near=["Plan 9"])
    assert [h["title"] for h in near] == ["Ed Wood"] or near[0]["title"] == "Ed Wood (film)"
    assert 0 <= near[0]["score"] <= 1


async def test_a_linked_passage_that_comes_in_by_expansion_is_near_too() -> None:
    aides = {f"Aide {n:02}": f"Aide {n:02} knew Ed Wood." for n in range(12)}
    fruit = {"Bananas": "Bananas are yellow fruits that Zed grew.", "Zed": "Zed knew Ed Wood."}
    _, gathering, pool = await begun("Which are yellow fruits?", {**FILLER, **aides, **TEXTS, **fruit})
    await gathering.prefer(pool, ["Ed Wood"])
    assert "Zed" not in pool.candidates  # of all that is linked with Ed Wood ten come at once
    store = WordStore({**FILLER, **aides, **TEXTS, **fruit})
    search = StoreSearch(store, FixedEmbedder(), "default")  # type: ignore[arg-type]
    hits = await search.search("Which are yellow fruits?", mode="hybrid", limit=50, near=["Ed Wood"])
    places = {hit["title"]: place for place, hit in enumerate(hits)}
    assert places["Zed"] < places["Bananas"]
    assert all(0 <= hit["score"] <= 1 for hit in hits)


async def test_each_passage_asked_for_brings_links_of_its_own() -> None:
    crowd = {f"Aide {n:02}": f"Aide {n:02} knew Tim Burton." for n in range(12)}
    _, gathering, pool = await begun("?", {**FILLER, **crowd, **TEXTS})
    await gathering.prefer(pool, ["Tim Burton", "Plan 9"])
    assert {"Aide 00", "Ed Wood"} <= pool.candidates.keys()
    assert pool.near >= {*crowd, "Ed Wood"}


@pytest.mark.parametrize("mode", ["hybrid", "bm25", "dense"])
async def test_a_lone_surrogate_in_a_query_is_no_hindrance(mode: str) -> None:
    class Encoding(WordStore):
        async def search_text(self, namespace: str, query: str, limit: int) -> list[tuple[str, float]]:
            assert query.encode()
            return await super().search_text(namespace, query, limit)

    for kind in (StoreSearch, PlainSearch):
        search = kind(Encoding(TEXTS), FixedEmbedder(), "default")  # type: ignore[arg-type]
        hits = await search.search("Who directed Plan 9 \ud800?", mode=mode, limit=5)  # type: ignore[arg-type]
        assert "Plan 9" in [hit["title"] for hit in hits]


async def test_a_query_that_finds_nothing_has_no_hits() -> None:
    assert await found("???", mode="bm25") == []


async def test_what_a_seed_leaves_open_is_searched_with_the_names_in_it() -> None:
    store, gathering, pool = await begun("When was the college founded where Ed Wood was born?", {**TEXTS, **FILLER})
    assert "Vassar" in pool.candidates
    store.asked.clear()
    await gathering.expand(pool, ["Ed Wood"])
    [query] = store.asked
    assert {"college", "founded", "Poughkeepsie"} <= set(query.split())
    assert "Wood" in query
    assert "born" not in stems_in_order(query)
    assert pool.seeds["Ed Wood"].left["Vassar"] == 1


async def test_no_candidate_is_expanded_twice() -> None:
    store, gathering, pool = await begun("Who directed Plan 9?", TEXTS)
    await gathering.expand(pool, ["Plan 9"])
    store.asked.clear()
    await gathering.expand(pool, ["Plan 9", "gone"])
    assert store.asked == []


async def test_a_candidate_that_is_gone_from_the_store_is_dropped() -> None:
    class Losing(WordStore):
        async def named_in(self, namespace: str, text: str, limit: int = 50) -> list[tuple[str, str]]:
            return [("lost", "Plan 9")]

    pool = await Gathering(Losing(TEXTS), "default").begin("Who directed Plan 9?", None)  # type: ignore[arg-type]
    assert "lost" not in pool.candidates
    assert "Plan 9" in pool.candidates


async def test_features_tell_the_link_and_what_both_cover_together() -> None:
    _, gathering, pool = await begun("Where was the director of Plan 9 born?", {**TEXTS, **FILLER})
    table = await first_pass(gathering, pool)
    told = {i: dict(zip(FEATURES, row, strict=True)) for i, row in zip(table.ids, table.rows.tolist(), strict=True)}
    assert told["Plan 9"]["named"] == 1.0
    assert told["Ed Wood"]["partners naming it"] >= 1
    assert told["Ed Wood"]["partner naming it: adds"] > 0  # "born"
    assert told["Plan 9"]["partners it names"] >= 1
    assert told["Bananas" if "Bananas" in told else "Page 0"]["partner naming it: strength"] == 0
    assert told["Ed Wood (film)"]["parenthesis"] == 1.0
    assert np.isfinite(table.rows).all()


async def test_scores_of_words_count_as_shares_of_the_best() -> None:
    _, gathering, pool = await begun("Who directed Plan 9?", TEXTS)
    await gathering.expand(pool, ["Plan 9", "Ed Wood"])
    before = features(measure(pool), formula(pool)).rows
    for candidate in pool.candidates.values():
        candidate.bm25 *= 7.5
    assert features(measure(pool), formula(pool)).rows == pytest.approx(before, abs=1e-6)


def test_nothing_has_no_features() -> None:
    assert features(measure(Pool("?", [], None)), {}).rows.shape == (0, len(FEATURES))


async def test_searching_by_meaning_asks_by_words_only_what_the_best_leave_open() -> None:
    store = WordStore({**TEXTS, **FILLER})
    search = StoreSearch(store, FixedEmbedder(), "default")  # type: ignore[arg-type]
    await search.search("Who directed Plan 9?", mode="dense", limit=5)
    assert store.asked
    assert "Who directed Plan 9?" not in store.asked
