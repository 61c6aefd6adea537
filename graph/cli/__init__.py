"""The command `lookahead`: one module for each group of commands.

Importing it costs little: graphs, models and stores are imported by the command that needs them, so that help answers
at once. Every error a user can meet is one sentence on stderr and exit code 1.
"""

import io
import sys
from typing import Annotated

import typer

from graph.cli import ask, bench, datasets, demo, documents, ingest, migrating, models, serve
from graph.cli.output import fail
from stores.errors import LookaheadError

app = typer.Typer(
    name="lookahead",
    help="Ask multi-hop questions of your own documents: planned once, searched in parallel, answered with citations.",
    epilog="Start with: lookahead ingest PATH, then lookahead ask. Or see it work: lookahead demo.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("ingest")(ingest.ingest)
app.command("ask", cls=ask.AskCommand)(ask.ask)
app.command("demo")(demo.demo)
app.command("stats")(documents.stats)
app.command("list")(documents.list_documents)
app.command("show")(documents.show)
app.command("delete")(documents.delete)
app.command("clear")(documents.clear)
app.command("verify")(documents.verify)
app.command("models")(models.models)
app.command("serve")(serve.serve)
app.command("reembed")(documents.reembed)
app.command("migrate-store")(migrating.migrate_store)
app.add_typer(datasets.app, name="datasets")
app.add_typer(bench.app, name="bench")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("lookahead-rag"))
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options that stand before the command."""


def main() -> None:
    """Run the command line; never returns."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows "?", not an error
    try:
        app()
    except LookaheadError as error:
        fail(str(error))
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        fail(
            f"this is a bug in lookahead ({type(error).__name__}: {error}): run "
            f"`lookahead --debug {' '.join(sys.argv[1:2])} …` again and report what it prints"
        )
    sys.exit(1)
