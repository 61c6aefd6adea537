"""The plan as a tree: each search under the one it waits for, with what was bound, found and dropped."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text
from rich.tree import Tree

from graph.cli.output import milliseconds, plural

_SEARCHING = Text("  searching", style="cyan")


def plan_tree(
    nodes: list[dict[str, Any]],
    hops: Mapping[str, Mapping[str, Any]],
    dropped: Mapping[str, str] | None = None,
    heading: str = "",
    live: bool = False,
    searching: Mapping[str, str] | None = None,
) -> Tree:
    """The plan.

    Args:
        nodes: of the plan, parents before children.
        hops: what was searched so far, by id; "n0" is the question itself.
        dropped: why a node was pruned, by id.
        heading: of the tree.
        live: mark nodes that have no hop yet as under way.
        searching: what is being searched for, by id of the node.
    """
    searching = searching or {}
    tree = Tree(Text.assemble(("Plan", "bold"), (f"  {heading}", "dim")), guide_style="dim")
    placed: dict[str, Tree] = {}
    for node in nodes:
        parents = [parent for parent in node["depends_on"] if parent in placed]
        under = placed[parents[-1]] if parents else tree
        line = _line(node, hops.get(node["id"]), (dropped or {}).get(node["id"]), live, searching.get(node["id"]))
        placed[node["id"]] = under.add(line)
    if "n0" in hops or "n0" in searching:
        found = _found(hops["n0"]) if "n0" in hops else _SEARCHING
        tree.add(Text.assemble(("n0", "cyan"), "  the question as it stands", found))
    return tree


def _line(
    node: dict[str, Any], hop: Mapping[str, Any] | None, dropped: str | None, live: bool, searched: str | None
) -> Text:
    line = Text.assemble((node["id"], "cyan"), f"  {node['op']:<9} ")
    if len(node["depends_on"]) > 1:
        line.append(f"({', '.join(node['depends_on'])}) ", style="cyan")
    query = Text(hop["bound_query"] if hop and hop["bound_query"] else node["query"])
    if dropped:
        query.stylize("dim strike")
        return line.append_text(query).append(f"  dropped: {dropped}", style="dim")
    if hop is None and searched is not None:
        return line.append(searched).append_text(_SEARCHING)
    if hop is None:
        return line.append_text(query).append("  …" if live else "", style="dim")
    best = {binding["node"]: binding for binding in reversed(hop["bindings"])}
    query.highlight_words([binding["text"] for binding in best.values()], "bold green")
    line.append_text(query)
    if best:
        line.append("  " + " · ".join(f"{binding['probability']:.0%}" for binding in best.values()), style="green")
    return line.append_text(_found(hop))


def _found(hop: Mapping[str, Any]) -> Text:
    if hop["error"]:
        return Text(f"  {hop['error']}", style="yellow")
    if not hop["passages"]:
        return Text("  nothing found", style="yellow")
    return Text(f"  {plural(len(hop['passages']), 'passage')}, {milliseconds(hop['ms'])}", style="dim")
