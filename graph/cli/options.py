"""Options that several commands share."""

from typing import Annotated

import typer

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PATH",
        help="Where the documents are kept: a folder, or neo4j://HOST. "
        "[dim]By default LOOKAHEAD_STORE, else NEO4J_URI, else your data folder.[/]",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]
NamespaceOption = Annotated[str, typer.Option("--namespace", "-n", metavar="NAME", help="Which documents.")]
AnyNamespaceOption = Annotated[
    str | None,
    typer.Option(
        "--namespace", "-n", metavar="NAME", help="Which documents. [dim]By default all.[/]", show_default=False
    ),
]
