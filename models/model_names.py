"""Names of chat models, as people write them: "groq", "ollama:llama3.2:3b", "openai:gpt-5".

Knows which name means what; nothing of clients and servers.
"""

import difflib
from typing import Literal

from stores.errors import ModelError

Role = Literal["planner", "synthesizer"]
GROQ_MODELS: dict[Role, str] = {"planner": "openai/gpt-oss-20b", "synthesizer": "openai/gpt-oss-120b"}
OLLAMA_MODEL = "llama3.2:3b"
PACKAGES = {
    "anthropic": "langchain-anthropic",
    "azure_openai": "langchain-openai",
    "bedrock": "langchain-aws",
    "cohere": "langchain-cohere",
    "deepseek": "langchain-deepseek",
    "google_genai": "langchain-google-genai",
    "google_vertexai": "langchain-google-vertexai",
    "mistralai": "langchain-mistralai",
    "openai": "langchain-openai",
    "openrouter": "langchain-openrouter",
    "together": "langchain-together",
    "xai": "langchain-xai",
}
"""Some of the providers that LangChain's `init_chat_model` knows, and what must be installed for each."""


def full_name(name: str, role: Role, ollama_model: str = OLLAMA_MODEL) -> str:
    """The name with provider and model, as it stands in results.

    >>> full_name("groq", "planner"), full_name("ollama:qwen3", "planner")
    ('groq:openai/gpt-oss-20b', 'ollama:qwen3')

    Raises:
        ModelError: it names no provider, or a provider without a model.
    """
    provider, _, model = (part.strip() for part in name.partition(":"))
    match provider:
        case "groq":
            return f"groq:{model or GROQ_MODELS[role]}"
        case "ollama":
            return f"ollama:{model or ollama_model}"
        case _ if provider and model:
            return f"{provider}:{model}"
    raise ModelError(unknown_name(name, role))


def unknown_name(name: str, role: Role) -> str:
    """A sentence on a name that stands for no model: what it may have meant, and what can be taken."""
    provider, colon, _ = name.partition(":")
    if provider in PACKAGES and not colon:
        return f"{role}: {name!r} names no model: write '{provider}:MODEL'"
    takes = ["auto", "embedded", "groq", "ollama", "model", *(["none"] if role == "planner" else [])]
    hint = f"; a model of Ollama is written 'ollama:{name}'" if _like_a_model(provider) else ""
    near = [] if hint else difflib.get_close_matches(provider.lower(), [*takes, *PACKAGES], 1)
    guess = f", did you mean {near[0]!r}? Take" if near else "; take"
    return f"{role}: {name!r} is not a model{guess} {', '.join(map(repr, takes))} or 'PROVIDER:MODEL'{hint}"


def missing_extra(name: str, role: Role) -> str:
    """A sentence on a name of another provider, where LangChain is not installed."""
    provider = name.partition(":")[0]
    known = PACKAGES.get(provider.lower().replace("-", "_"))
    likely = _like_a_model(provider) or difflib.get_close_matches(provider.lower(), ["groq", "ollama", *PACKAGES], 1)
    if known is None and likely:
        return unknown_name(name, role)
    return (
        f"{role}: {name!r} needs the extra 'providers' and the provider's own package: "
        f"pip install 'lookahead-rag[providers]' {known or f'langchain-{provider.lower()}'}"
    )


def _like_a_model(provider: str) -> bool:
    """Whether what stands before the colon looks like a model's name: those have numbers in them."""
    return any(letter.isdigit() for letter in provider)
