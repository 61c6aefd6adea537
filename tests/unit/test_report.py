"""report.md and report.html: what is shown, that simulated times are marked, and that hostile text stays text."""

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evaluation.report.content import group_tables, tables
from evaluation.report.failures_data import failures_data, marks
from evaluation.report.lanes import segments
from evaluation.report.looks import looks
from evaluation.report.markdown import markdown
from evaluation.report.page import page
from evaluation.report.placing import Box, place
from evaluation.report.record import record
from evaluation.report.wording import sentences, speed_sentences, warning
from evaluation.report.writing import NO_PICTURES, write_report
from evaluation.results import Results, build_results, scored_by_method
from stores.errors import StoreError
from tests.predicted import latency, prediction, shown

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)> | **b** ![x](http://evil.example/x.png)"
QUESTIONS = range(1, 13)
PREDICTIONS = [
    *(prediction("lookahead", n, right=n > 3) for n in QUESTIONS),
    *(
        prediction(EVIL, n, right=n > 8, answer=EVIL, question=EVIL, type=EVIL, evidence=[shown(EVIL)])
        for n in QUESTIONS
    ),
]
LATENCY = [latency(name, n, 100.0 + n) for name in ("lookahead", EVIL) for n in QUESTIONS]


def built(simulated: str | None = None) -> Results:
    settings = {"name": EVIL, "corpus": "pooled", "seed": 0, "judge": ""}
    return build_results(PREDICTIONS, LATENCY, settings, resamples=100, simulated=simulated, descriptions={EVIL: EVIL})


@pytest.fixture(scope="module")
def results() -> Results:
    return built()


@pytest.fixture(scope="module")
def simulated() -> Results:
    return built("groq")


@pytest.fixture(scope="module")
def html(results: Results) -> str:
    return page(results, failures_data(scored_by_method(PREDICTIONS)), remark=NO_PICTURES)


class Tags(HTMLParser):
    """Every tag with its attributes, and what stands in scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.scripts += [""] if tag == "script" else []

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += data


class TestPage:
    def test_hostile_text_makes_no_tag(self, html: str) -> None:
        found = Tags(html)

        assert [tag for tag, _ in found.tags if tag in {"script", "img", "iframe", "link", "object", "form"}] == [
            *("form", "script", "script"),
        ]
        assert not [name for _, attributes in found.tags for name in attributes if name.startswith("on")]

    def test_it_asks_the_network_for_nothing(self, html: str) -> None:
        addresses = [a[key] for _, a in Tags(html).tags for key in ("src", "href", "action") if a.get(key)]

        assert [address for address in addresses if not address.startswith("#")] == []
        assert "@import" not in html
        assert "default-src &#x27;none&#x27;" in html

    def test_only_its_own_script_may_run(self, html: str) -> None:
        script = Tags(html).scripts[-1]

        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"script-src &#x27;sha256-{digest}&#x27;" in html

    def test_the_script_never_writes_markup(self, html: str) -> None:
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", Tags(html).scripts[-1])

    def test_the_data_come_through_whole(self, html: str) -> None:
        data = json.loads(Tags(html).scripts[0])

        assert data["questions"][0]["m"][1]["a"] == EVIL

    def test_tables_are_named_and_their_heads_have_a_scope(self, html: str) -> None:
        found = Tags(html).tags

        assert all("scope" in attributes for tag, attributes in found if tag == "th")
        assert sum(tag == "caption" for tag, _ in found) == sum(tag == "table" for tag, _ in found) > 5


class TestSimulated:
    def test_times_are_no_headline_and_are_marked(self, simulated: Results) -> None:
        main, *rest = tables(simulated)

        assert not {"p50", "LLM calls"} & set(main.heads)
        timed = [table for table in rest if "p50" in table.heads or "stage" in table.first]
        assert len(timed) == 2
        assert all("simulated: groq" in table.title for table in timed)
        assert not any(cell.best for table in timed for _, cells in table.rows for cell in cells)
        assert not any(said.startswith("p50") for _, told in sentences(simulated) for said in told)

    def test_both_reports_warn(self, simulated: Results) -> None:
        said = warning(simulated)

        assert said is not None
        assert said in markdown(simulated)
        assert said.replace("'", "&#x27;") in page(simulated, failures_data(scored_by_method(PREDICTIONS)))
        assert "Median time (simulated: groq)" in markdown(simulated)

    def test_measured_times_are_headlines(self, results: Results) -> None:
        assert warning(results) is None
        assert "p50" in tables(results)[0].heads
        assert speed_sentences(results)[0].startswith("lookahead takes 1.00 × [")


def test_the_best_is_marked_and_the_oracle_is_not() -> None:
    rows = [*PREDICTIONS, *(prediction("oracle", n) for n in QUESTIONS)]
    main = tables(build_results(rows, [], {}, resamples=10))[0]

    column = main.heads.index("EM %")
    assert [name for name, cells in main.rows if cells[column].best] == ["lookahead"]


def test_groups_show_their_size_and_the_gain(results: Results) -> None:
    found = {table.title: table for table in group_tables(results)}

    assert "2 hops (12)" in [name for name, _ in found["F1 % by kind of question"].rows]
    assert "bridge (6)" not in [name for name, _ in found["F1 % by kind of question"].rows], "too few"
    name, gain = found["lookahead: gain in F1 % by kind of question"].rows[-1]
    assert name == "2 hops"
    assert gain[0].value == results["group_comparisons"][-2]["difference"]


class TestMarkdown:
    def test_names_from_outside_are_text(self, results: Results) -> None:
        text = markdown(results)

        assert not re.search(r"(?<!\\)<script", text)
        assert not re.search(r"(?<!\\)!\[", text)

    def test_every_row_of_a_table_has_its_cells(self, results: Results) -> None:
        for block in markdown(results).split("\n\n"):
            rows = [line for line in block.splitlines() if line.startswith("|")]
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1

    def test_pictures_are_linked(self, results: Results) -> None:
        assert "![What it shows](pictures/pareto.png)" in markdown(results, [("pictures/pareto.png", "What it shows")])


class TestFailures:
    def test_all_answers_to_a_question_that_one_got_wrong(self) -> None:
        found = failures_data(scored_by_method(PREDICTIONS, ["lookahead"]))

        ids = [question["i"] for question in found["questions"]]
        assert ids[:3] == ["q01", "q02", "q03"], "those of the first method come first"
        assert [answer.get("c") for answer in found["questions"][-1]["m"]] == [None, "left_out"]

    def test_texts_are_kept_once_and_cut_to_the_budget(self) -> None:
        texts = ["word " * 400, *(f"{number} " * 400 for number in QUESTIONS)]
        rows = [
            prediction("m", n, right=False, evidence=[shown("a", texts[0]), shown("b", texts[n])]) for n in QUESTIONS
        ]

        whole, small = (failures_data(scored_by_method(rows), budget) for budget in (10**6, 14_000))

        assert (whole["cut"], len(whole["texts"])) == (900, 13)
        assert small["cut"] < 900
        assert small["left_out"] == 0
        assert len(json.dumps(small, separators=(",", ":"), ensure_ascii=False)) <= 14_000

    def test_what_finds_no_room_is_counted(self) -> None:
        found = failures_data(scored_by_method(PREDICTIONS), 5_000)

        assert found["left_out"] + len(found["questions"]) == 12
        assert found["left_out"] > 0

    def test_cited_sentences_are_marked_as_a_script_counts(self) -> None:
        assert marks("🎉 He was. He died.", ["He died.", "Nowhere."]) == [[11, 19]]
        assert marks("One. Two. Three.", ["One. Three."]) == [[0, 4], [10, 16]]


def test_a_method_looks_the_same_in_every_report() -> None:
    assert looks(["x", "lookahead"])["lookahead"] == looks(["lookahead", "react"])["lookahead"]
    many = looks([f"method {number}" for number in range(12)])
    assert len(set(many.values())) == 12


def test_names_hide_neither_points_nor_each_other() -> None:
    points = [(50.0, 50.0), (54.0, 50.0), (52.0, 54.0)]
    taken = [Box(x - 2, y - 2, x + 2, y + 2) for x, y in points]

    boxes = place(points, [(30.0, 6.0)] * 3, taken, Box(0, 0, 120, 100), 6.0)

    assert all(a.overlap(b) == 0 for a in boxes for b in [*taken, *boxes] if a is not b)


TOTAL = {"mean": 20.0, "n": 2}


class TestLanes:
    def test_a_probe_beside_the_plan_is_no_part_of_the_sequence(self) -> None:
        stages = {"plan": {"mean": 15.0, "n": 2}, "probe": {"mean": 9.0, "n": 2}, "check": {"mean": 4.0, "n": 2}}

        lane = segments({**stages, "total": TOTAL}, {})

        assert [(s.kind, s.start, s.beside) for s in lane] == [
            ("decide", 0.0, False), ("check", 15.0, False), ("search", 0.0, True), ("other", 19.0, False)
        ]  # fmt: skip

    def test_a_stage_that_half_the_runs_take_counts_half(self) -> None:
        assert segments({"fallback": {"mean": 8.0, "n": 1}, "total": TOTAL}, {})[0].length == 4.0

    @pytest.mark.parametrize(("role", "stage"), [("synthesize", "synthesize"), ("rewrite", "variants")])
    def test_a_wait_is_part_of_its_stage(self, role: str, stage: str) -> None:
        lane = segments({stage: {"mean": 16.0, "n": 2}, "total": TOTAL}, {role: {"mean": 12.0, "n": 2}})

        assert lane[0].waiting == 12.0


@pytest.mark.usefixtures("no_matplotlib")
class TestWriting:
    @pytest.fixture
    def no_matplotlib(self, monkeypatch: pytest.MonkeyPatch) -> None:
        drawing = ("pictures", "canvas", "curves", "pareto", "recall_picture", "waterfall")
        loaded = [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]
        for name in [*loaded, *(f"evaluation.report.{name}" for name in drawing)]:
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.setitem(sys.modules, "matplotlib", None)

    def test_the_report_says_which_extra_to_install(self, results: Results, tmp_path: Path) -> None:
        paths = write_report(results, PREDICTIONS, tmp_path)

        assert [path.name for path in paths] == ["report.html", "report.md"]
        assert all("lookahead-rag[bench]" in path.read_text() for path in paths)

    def test_a_folder_that_cannot_be_written(self, results: Results, tmp_path: Path) -> None:
        (tmp_path / "report.html").mkdir()

        with pytest.raises(StoreError, match="cannot be written"):
            write_report(results, PREDICTIONS, tmp_path)


def test_record_holds_each_run_with_its_figures_and_settings(results: Results, simulated: Results) -> None:
    text = record([results, simulated])

    assert text.count("\n## Benchmark: ") == 2
    real, pretended = text.split("\n## Benchmark: ")[1:]
    assert "75.0 [" in real  # nine of twelve are right
    assert "p50" in real
    assert "- seed: 0" in real
    assert "+75.0 [" in real  # nine right against none
    assert "Simulated: groq" in pretended
    assert "| p50" not in pretended
    assert "<script>" not in text
