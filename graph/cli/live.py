"""A run as it happens, on stderr: the plan growing, stages, the text of the answer. Knows the events of `graph.api`."""

from collections.abc import Mapping
from typing import Any, Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from graph.cli.output import err, milliseconds
from graph.cli.plan_tree import plan_tree


class LiveRun:
    """Shows events on a terminal, and nothing elsewhere; all of it is wiped away at the end."""

    def __init__(self) -> None:
        self._nodes: list[dict[str, Any]] = []
        self._hops: dict[str, Any] = {}
        self._searching: dict[str, str] = {}
        self._running: dict[str, None] = {}
        self._done: list[str] = []
        self._text = ""
        self._spinner = Spinner("dots")
        self._live = Live(get_renderable=self._render, console=err(), transient=True, refresh_per_second=12)
        self._shown = err().is_terminal

    def __enter__(self) -> Self:
        if self._shown:
            self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._shown:
            self._live.stop()

    def handle(self, event: Mapping[str, Any]) -> None:
        """Take in one event."""
        match event["type"]:
            case "stage" if event["status"] == "start":
                self._running[event["stage"]] = None
            case "stage":
                self._running.pop(event["stage"], None)
                self._done.append(f"{event['stage']} {milliseconds(event['ms'])}")
            case "plan_node":
                others = [node for node in self._nodes if node["id"] != event["node"]["id"]]
                self._nodes = [*others, event["node"]]
            case "plan":
                self._nodes = event["plan"]["nodes"]
                planned = {node["id"]: node["query"] for node in self._nodes}
                self._hops = {i: hop for i, hop in self._hops.items() if planned.get(i, hop["query"]) == hop["query"]}
            case "search":
                self._searching[event["hop"]] = event["query"]
            case "hop":
                self._searching.pop(event["hop"]["id"], None)
                self._hops[event["hop"]["id"]] = event["hop"]
            case "text":
                self._text += event["text"]
            case "answer_reset":
                self._text = ""

    def _render(self) -> RenderableType:
        parts: list[RenderableType] = []
        if self._nodes or self._hops or self._searching:
            parts.append(plan_tree(self._nodes, self._hops, live=True, searching=self._searching))
        if self._text:
            parts.append(Text(f"\n{self._text}"))
        now = ", ".join(self._running) or ("starting" if not self._done else "")
        self._spinner.update(text=Text.assemble(now, (f"  {' · '.join(self._done)}", "dim")))
        return Group(*parts, self._spinner)
