"""An answered question on the terminal: plan, answer, explanation, cited sentences, timings, and the trace."""

import math
from collections.abc import Mapping
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from graph.cli.output import columns, milliseconds, out, plural
from graph.cli.plan_tree import plan_tree
from graph.cli.step_tree import step_tree

STAGES_SHOWN = 3
"""Slowest stages in the last line."""


def print_answer(console: Console, result: Mapping[str, Any], trace: bool = False) -> None:
    """Print a `graph.api.Result`."""
    dropped = {node["id"]: node["reason"] for node in result["pruning"]["dropped"]}
    hops = {hop["id"]: hop for hop in result["hops"]}
    console.print(plan_tree(result["plan"]["nodes"], hops, dropped, _planner(result)))
    console.print()
    console.print(_answer(result))
    if result["explanation"]:
        console.print(_cited(result["explanation"]))
    console.print()
    for citation in result["citations"]:
        title = citation["title"] or citation["document_id"]
        console.print(Text.assemble("  ", (f"[{citation['id']}]", "cyan"), " ", (title, "bold")))
        console.print(indented(Text(citation["text"], style="italic"), console.width, 4))
    if result["citations"]:
        console.print()
    for warning in result["warnings"]:
        console.print(Text.assemble(("note: ", "yellow"), warning))
    if trace:
        console.print(_trace(result))
    console.print(_footer(result))


def _planner(result: Mapping[str, Any]) -> str:
    plan = result["plan"]
    planner, rung = plan.get("planner", ""), plan.get("rung", "")
    if not planner:  # nobody planned: an agent searched as it went, or the question alone was searched
        return ""
    return f"by {planner}" if rung in ("", planner) else f"by {planner}, {rung}"


def _answer(result: Mapping[str, Any]) -> Text:
    if result["abstained"] or not result["answer"]:
        said = "The documents do not say."
        if result["answer"]:
            said += f" A guess: {result['answer']}"
        return Text(said, style="bold yellow")
    return Text.assemble((result["answer"], "bold green"), (f"   {result['confidence']:.0%} sure", "dim"))


def _cited(explanation: str) -> Text:
    text = Text(explanation)
    text.highlight_regex(r"\[n\d+\.\d+(?:\s*,\s*n\d+\.\d+)*\]", "cyan")
    return text


def indented(text: Text, width: int, columns: int) -> Text:
    """Wrapped text with space before each line, and none behind."""
    lines = text.wrap(out(), max(width - columns, 20))
    for line in lines:
        line.rstrip()
        line.pad_left(columns)
    return Text("\n").join(lines)


def _footer(result: Mapping[str, Any]) -> Text:
    timings = dict(result["timings_ms"])
    total = timings.pop("total", sum(timings.values()))
    slowest = sorted(timings, key=lambda stage: -timings[stage])[:STAGES_SHOWN]
    stages = " · ".join(f"{stage} {milliseconds(timings[stage])}" for stage in timings if stage in slowest)
    used = _used(result["usage"])
    rounds = len(result["fallbacks"])
    again = f" · searched again {plural(rounds, 'time')}" if rounds else ""
    return Text.assemble((milliseconds(total), "bold"), (f"  {used}{again} · {stages}", "dim"))


def _used(usage: Mapping[str, Any]) -> str:
    """Calls of language models, what they cost, and how long was waited for their servers."""
    calls = usage["llm_calls"]
    parts = [plural(calls, "LLM call") if calls else "no LLM call"]
    if usage.get("wait_ms", 0) >= 50:
        parts.append(f"waited {usage['wait_ms'] / 1000:.1f} s for the model's server")
    if cost := _cost(usage):
        parts.append(cost)
    return " · ".join(parts)


def _cost(usage: Mapping[str, Any]) -> str:
    known, unknown = usage.get("cost_usd", 0.0), usage.get("unpriced_calls", 0)
    if not unknown:
        return dollars(known) if known else ""
    return f"{dollars(known)} and {plural(unknown, 'call')} of unknown cost" if known else "cost unknown"


def dollars(amount: float) -> str:
    """An amount with its first two digits, and cents at least.

    >>> dollars(0.000412), dollars(1.5)
    ('$0.00041', '$1.50')
    """
    return f"${amount:,.{max(2, 1 - math.floor(math.log10(amount))) if amount > 0 else 2}f}"


def _calls(usage: Mapping[str, Any]) -> Table:
    table = columns("LLM call for", ">calls")
    for reason, calls in usage["by_reason"].items():
        table.add_row(Text(reason), str(calls))
    read, written = usage["prompt_tokens"], usage["completion_tokens"]
    table.add_row(Text(f"{plural(read, 'token')} read, {written:,} written", style="dim"), "")
    return table


def _trace(result: Mapping[str, Any]) -> RenderableType:
    parts: list[RenderableType] = [_hops(result["hops"])]
    if any(hit.get("why") for hop in result["hops"] for hit in hop["passages"]):
        parts.append(_why(result["hops"]))
    if result["steps"]:
        parts.insert(0, step_tree(result["steps"], f"by {result['models']['agent']}"))
    if result["pruning"]["dropped"]:
        table = columns("dropped", "utility", "reason")
        for node in result["pruning"]["dropped"]:
            table.add_row(node["id"], f"{node['utility']:.2f}", Text(node["reason"]))
        parts.append(table)
    if result["fallbacks"]:
        table = columns("searched again because", "with")
        for fallback in result["fallbacks"]:
            table.add_row(Text("\n".join(fallback["trigger"])), Text("\n".join(fallback["queries"])))
        parts.append(table)
    table = columns("stage", ">time")
    for stage, ms in sorted(result["timings_ms"].items(), key=lambda timing: timing[0] == "total"):
        table.add_row(stage, milliseconds(ms))
    parts.append(table)
    if result["usage"]["llm_calls"]:
        parts.append(_calls(result["usage"]))
    parts.append(Text(", ".join(f"{role}: {model}" for role, model in result["models"].items()), style="dim"))
    return Group(*(part for pair in zip(parts, [Text()] * len(parts), strict=True) for part in pair))


def _why(hops: list[dict[str, Any]]) -> Table:
    """What spoke for and against each passage, in log-odds, in the last hop that found it."""
    table = columns("passage", "why (log-odds)")
    hits = {hit["id"]: hit for hop in hops for hit in hop["passages"]}
    for hit in hits.values():
        told = ", ".join(f"{feature} {adds:+.1f}" for feature, adds in hit.get("why", {}).items())
        table.add_row(Text(hit["title"] or hit["id"]), Text(told, style="dim"))
    return table


def _hops(hops: list[dict[str, Any]]) -> Table:
    table = columns("hop", "searched", "bound", "found (score)", ">time")
    for hop in hops:
        bound = [f"{b['node']} → {b['text']} ({b['probability']:.0%})" for b in hop["bindings"]]
        found = [f"{passage['title'] or passage['id']} ({passage['score']:.3g})" for passage in hop["passages"]]
        table.add_row(
            Text(hop["id"], style="cyan"),
            Text(hop["bound_query"] or hop["query"]),
            Text("\n".join(bound), style="green"),
            Text("\n".join(found)) if not hop["error"] else Text(hop["error"], style="yellow"),
            milliseconds(hop["ms"]),
        )
    return table
