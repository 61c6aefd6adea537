"""What a client of a server may ask for by name: what is shipped, and what the server's owner offers.

Who runs a graph in a process of their own takes any model. Told over a network, a name would make the server fetch a
model, read one of its folders, or spend its owner's money. Knows names; loads nothing.
"""

from collections.abc import Collection

from pydantic import BaseModel

from models.embedder import DEFAULT_EMBEDDER
from stores.errors import InputError

SHIPPED: dict[str, tuple[str, ...]] = {
    "planner": ("auto", "embedded", "none", "model"),
    "synthesizer": ("auto", "embedded", "model"),
    "reranker": ("ranker", "rrf", "cosine", "none"),
    "embedder": ("auto", DEFAULT_EMBEDDER),
}
"""Fields that name a model, and what everybody may write there; "model" is the one that the owner handed in."""
WEB_SEARCH = "web-search"
"""What an owner offers where clients may have the web searched."""


def only_offered(settings: BaseModel, offered: Collection[str]) -> None:
    """Refuse settings that name something else.

    Args:
        settings: of a run, or of an ingestion.
        offered: names beside those that are shipped.

    Raises:
        InputError: a field names what is not offered.
    """
    for field, shipped in SHIPPED.items():
        value = getattr(settings, field, shipped[0])
        if value not in shipped and value not in offered:
            raise InputError(
                f"settings: {field}={value!r:.80} is not offered by this server: take "
                f"{' or '.join(map(repr, shipped))}, or have its owner name it in LOOKAHEAD_ALLOW"
            )
    if getattr(settings, "web_search", False) and WEB_SEARCH not in offered:
        raise InputError(
            "settings: web_search=True is not offered by this server: leave it out, or have its owner name "
            f"{WEB_SEARCH!r} in LOOKAHEAD_ALLOW"
        )
