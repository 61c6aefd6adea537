"""What an agent did as a tree: each of its decisions, and under it what it called and what that found."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.text import Text
from rich.tree import Tree

from graph.cli.output import listed

TITLES_SHOWN = 3
"""Titles of what a call found; the hops list them all."""


def step_tree(steps: Sequence[Mapping[str, Any]], heading: str = "") -> Tree:
    """The steps.

    Args:
        steps: `nodes.agent_state.AgentStep`s, in their order.
        heading: of the tree.
    """
    tree = Tree(Text.assemble(("Steps", "bold"), (f"  {heading}", "dim")), guide_style="dim")
    for number, together in groupby(steps, key=lambda step: step["step"]):
        made = list(together)
        thought = " ".join(made[0]["thought"].split())
        branch = tree.add(
            Text.assemble((str(number), "cyan"), "  ", (thought or "no thought", "" if thought else "dim"))
        )
        for step in made:
            branch.add(_line(step))
    return tree


def _line(step: Mapping[str, Any]) -> Text:
    line = Text.assemble((step["action"], "bold"))
    if step["query"]:
        line.append(f"  {step['query']}")
    if step["problem"]:
        return line.append(f"  {step['problem']}", style="yellow")
    if step["found"]:
        titles = listed(dict.fromkeys(title or "untitled" for title in step["found"]), TITLES_SHOWN)
        return line.append(f"  {step['hop']}: ", style="cyan").append(", ".join(titles), style="dim")
    if step["hop"] and step["action"] != "conclude":
        return line.append("  nothing found", style="yellow")
    return line
