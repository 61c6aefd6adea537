"""`lookahead serve`: the HTTP service on its own."""

from typing import Annotated

import typer

from graph.cli.options import StoreOption
from stores.errors import InputError


def serve(
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Address to listen at; other machines' only with LOOKAHEAD_TOKENS.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 takes a free one.")] = 8765,
    store: StoreOption = None,
    namespace: Annotated[
        str, typer.Option("--namespace", "-n", metavar="NAME", help="Which documents, where a request names none.")
    ] = "default",
) -> None:
    """Answer questions and take documents over HTTP. It needs the extra `serve`."""
    try:
        from graph.web.serving import serve as run
    except ModuleNotFoundError as error:
        raise InputError(
            f"serve: the package {error.name!r} is missing: pip install -e '.[serve]' -c constraints.txt"
        ) from None
    run(host, port, store, namespace)
