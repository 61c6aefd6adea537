"""`lookahead models`: which chat models can be reached from here, what `auto` would take, and why."""

import asyncio
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rich.text import Text

from graph.cli.options import JsonOption
from graph.cli.output import columns, err, listed, milliseconds, out, plural, print_json

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from models.auto import Choice
    from models.providers import Endpoints
    from models.servers import Fetch
    from nodes.settings import Settings

SECONDS = 3.0
"""Longest wait for a server that has been connected to."""
SHOWN = 8
"""Names of models in one cell."""


def models(as_json: JsonOption = False) -> None:
    """Show which chat models can be reached, what `auto` would choose, and why."""
    from models.servers import fetch_json
    from nodes.settings import Settings

    with err().status("asking the servers"):
        found = asyncio.run(survey(Settings(), fetch_json))
    if as_json:
        print_json(found)
        return
    table = columns("provider", "state", "models")
    for name, state, has in (_groq_row(found["groq"]), _ollama_row(found["ollama"]), _others_row(found["providers"])):
        table.add_row(name, state, has)
    table.add_row("embedded", Text("ready, on this machine", style="green"), Text("no language model is called"))
    out().print(table)
    auto = found["auto"]
    out().print(Text.assemble("\n", ("auto", "bold"), f" is {auto['reason']}"))
    for role in ("planner", "synthesizer"):
        out().print(Text.assemble(f"  {role:<11}  ", (auto[role], "cyan")))


async def survey(settings: "Settings", fetch: "Fetch") -> dict[str, Any]:
    """Everything that `lookahead models` says, as `--json` prints it; all servers are asked at the same time.

    Raises:
        InputError: a variable of the environment cannot be used.
    """
    from models.auto import choose
    from models.servers import get_ready

    await get_ready()  # or the first server would be blamed for it
    endpoints = settings.endpoints()
    groq, ollama, choice = await asyncio.gather(
        _groq(endpoints, fetch), _ollama(endpoints, fetch), choose(endpoints, settings.lookahead_auto, fetch=fetch)
    )
    return {
        "embedded": {"reached": True},
        "groq": groq,
        "ollama": ollama,
        "providers": {"installed": find_spec("langchain") is not None, "packages": _packages()},
        "auto": _auto(choice, endpoints),
    }


def _auto(choice: "Choice", endpoints: "Endpoints") -> dict[str, str]:
    from models.model_names import GROQ_MODELS, full_name

    names: dict[str, str] = {}
    for role in GROQ_MODELS:
        embedded = choice.provider == "embedded"
        names[role] = "embedded" if embedded else full_name(choice.provider, role, endpoints.ollama_model)
    return {"provider": choice.provider, **names, "reason": choice.reason}


async def _groq(endpoints: "Endpoints", fetch: "Fetch") -> dict[str, Any]:
    from models.model_names import GROQ_MODELS
    from models.servers import groq_models

    key, base = endpoints.groq_api_key, endpoints.groq_api_base
    about: dict[str, Any] = {"address": base, "key_set": key is not None, "reached": None, "ms": None, "problem": None}
    names: list[str] = []
    if key is not None:  # without a key there is nothing to ask
        names = await _asked(about, groq_models(base, key.get_secret_value(), SECONDS, fetch)) or []
    return {
        **about,
        "models": names,
        "defaults": {role: {"model": m, "there": m in names} for role, m in GROQ_MODELS.items()},
    }


async def _ollama(endpoints: "Endpoints", fetch: "Fetch") -> dict[str, Any]:
    from models.servers import has_model, ollama_models, ollama_version

    host, headers, wanted = endpoints.ollama_host, endpoints.ollama_headers(), endpoints.ollama_model
    about: dict[str, Any] = {"address": host, "reached": None, "ms": None, "problem": None}
    names, version = await asyncio.gather(
        _asked(about, ollama_models(host, headers, SECONDS, fetch)),
        _asked({}, ollama_version(host, headers, SECONDS, fetch)),
    )
    there = has_model(names or [], wanted)
    return {**about, "version": version, "models": names or [], "wanted": {"model": wanted, "there": there}}


async def _asked(about: dict[str, Any], asking: "Awaitable[Any]") -> Any:
    """What a server answered; whether and how fast is noted."""
    from models.servers import NotReached

    started = time.perf_counter()
    try:
        answer = await asking
    except NotReached as error:
        about |= {"reached": False, "problem": str(error)}
        return None
    about |= {"reached": True, "ms": round((time.perf_counter() - started) * 1000, 1)}
    return answer


def _packages() -> list[str]:
    """Packages of other providers that are installed."""
    from models.model_names import PACKAGES

    return sorted({package for package in PACKAGES.values() if find_spec(package.replace("-", "_"))})


def _groq_row(groq: dict[str, Any]) -> tuple[str, Text, Text]:
    if not groq["key_set"]:
        return "groq", Text("no key", style="yellow"), Text("set GROQ_API_KEY in the environment or in .env")
    if not groq["reached"]:
        return "groq", _not_reached(groq), Text(_groq_remedy(groq["problem"]))
    state = _reached(groq).append(", the key is taken", style="default")
    told = [f"{default['model']}{'' if default['there'] else ' is missing'}" for default in groq["defaults"].values()]
    return "groq", state, Text(f"{', '.join(told)}, {plural(len(groq['models']), 'model')} in all")


def _groq_remedy(problem: str) -> str:
    return (
        "check GROQ_API_KEY" if "401" in problem or "403" in problem else "check the network, and GROQ_API_BASE if set"
    )


def _ollama_row(ollama: dict[str, Any]) -> tuple[str, Text, Text]:
    if not ollama["reached"]:
        return "ollama", _not_reached(ollama), Text("start it with `ollama serve`, or set OLLAMA_HOST")
    state = _reached(ollama).append(f", version {ollama['version'] or 'unknown'}", style="default")
    wanted = ollama["wanted"]
    has = ", ".join(listed(ollama["models"], SHOWN)) or "none"
    return (
        "ollama",
        state,
        Text(has if wanted["there"] else f"{has}; get {wanted['model']} with `ollama pull {wanted['model']}`"),
    )


def _others_row(providers: dict[str, Any]) -> tuple[str, Text, Text]:
    if not providers["installed"]:
        install = Text("pip install 'lookahead-rag[providers]', for PROVIDER:MODEL")
        return "others", Text("not installed", style="yellow"), install
    packages = ", ".join(providers["packages"]) or "install that of a provider, such as langchain-openai"
    return "others", Text("installed", style="green"), Text(packages)


def _reached(about: dict[str, Any]) -> Text:
    return Text.assemble((f"reached in {milliseconds(about['ms'])}", "green"), f" at {about['address']}")


def _not_reached(about: dict[str, Any]) -> Text:
    state = "refused" if about["problem"].startswith("it answers") else "not reached"
    return Text.assemble((state, "yellow"), f" at {about['address']}: {about['problem']}")
