"""What `auto` means here and now: Groq where there is a key, else Ollama where it has the model, else embedded."""

from typing import Literal, NamedTuple

from models.providers import Endpoints
from models.servers import Fetch, NotReached, fetch_json, has_model, ollama_models

Auto = Literal["auto", "embedded", "groq", "ollama"]
"""Values of LOOKAHEAD_AUTO."""
CONNECT_SECONDS = 0.2
"""How long a server may take to be connected to; one on this machine takes a millisecond."""
ANSWER_SECONDS = 1.0
"""How long it may then take to say what it has: some milliseconds, but somebody is there, and machines are busy."""


class Choice(NamedTuple):
    """What `auto` stands for."""

    provider: Literal["embedded", "groq", "ollama"]
    reason: str
    """A sentence without its full stop: "Groq, because GROQ_API_KEY is set"."""
    server: str = ""
    """Where question and passages go; empty where they stay."""


async def choose(endpoints: Endpoints, setting: Auto = "auto", *, fetch: Fetch = fetch_json) -> Choice:
    """Find out what `auto` means.

    Args:
        endpoints: keys and addresses.
        setting: LOOKAHEAD_AUTO; anything but "auto" is the choice itself, and no server is asked.
        fetch: asks a server.
    """
    host, model = endpoints.ollama_host, endpoints.ollama_model
    match setting:
        case "embedded":
            return Choice("embedded", "embedded, because LOOKAHEAD_AUTO=embedded")
        case "groq":
            return Choice("groq", "Groq, because LOOKAHEAD_AUTO=groq", endpoints.groq_api_base)
        case "ollama":
            return Choice("ollama", "Ollama, because LOOKAHEAD_AUTO=ollama", host)
    if endpoints.groq_api_key is not None:
        return Choice("groq", "Groq, because GROQ_API_KEY is set", endpoints.groq_api_base)
    try:
        names = await ollama_models(host, endpoints.ollama_headers(), ANSWER_SECONDS, fetch, CONNECT_SECONDS)
    except NotReached as error:
        return Choice("embedded", f"embedded: no GROQ_API_KEY, and no Ollama at {host} ({error})")
    if has_model(names, model):
        return Choice("ollama", f"Ollama, because there is no GROQ_API_KEY and {host} has {model}", host)
    return Choice(
        "embedded", f"embedded: no GROQ_API_KEY, and the Ollama at {host} does not have {model}: `ollama pull {model}`"
    )
