"""`lookahead ask`: one question, or a prompt that keeps asking."""

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperCommand

from graph.cli.options import JsonOption, StoreOption
from graph.cli.output import err, fail, out, print_json
from graph.cli.prompting import questions
from stores.errors import LookaheadError


class AskCommand(TyperCommand):
    """Lists the settings below the options; they are only read when help is asked for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Help of the options, then every field of Context."""
        from graph.cli.settings import settings_page

        super().format_help(ctx, formatter)
        out().print(
            Text.assemble(("Settings", "bold"), " for --set key=value and --config FILE.yaml, with their defaults:\n")
        )
        out().print(settings_page())
        out().print()


def ask(
    question: Annotated[
        str | None, typer.Argument(help="A question. [dim]Without one, a prompt keeps asking.[/]", show_default=False)
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(
            "--namespace",
            "-n",
            metavar="NAME",
            help="Which documents.",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A ready plan (JSON or YAML): no planner is called.", show_default=False),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show an agent's steps, hops, bindings, pruning, fallbacks and all timings.")
    ] = False,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Settings as YAML.", show_default=False)] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="One setting; may be repeated.", show_default=False),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question from your documents, with citations."""
    with err().status("starting") if err().is_terminal else contextlib.nullcontext():
        from graph.cli.session import Session
        from graph.cli.settings import read_plan, read_settings

        context = read_settings(config, assignments or [], namespace)
        given = read_plan(plan) if plan else None
    with Session(store, context, given) as session:
        if question is not None:
            _show(session.ask(question), trace, as_json)
            return
        failed = False
        for line in questions():
            try:
                _show(session.ask(line), trace, as_json)
            except LookaheadError as error:
                fail(str(error))
                failed = True
            except KeyboardInterrupt:
                err().print("stopped", style="yellow")
    if failed:
        raise typer.Exit(1)


def _show(result: dict[str, Any], trace: bool, as_json: bool) -> None:
    if as_json:
        print_json(result)
        return
    from graph.cli.answer import print_answer

    print_answer(out(), result, trace)
