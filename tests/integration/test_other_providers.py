"""Other providers through the real LangChain, which only the environment with every extra has."""

import pytest

from models.health import Health
from models.providers import Endpoints, make_chat_model
from stores.errors import ModelError


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai:gpt-5", "synthesizer: 'openai:gpt-5' needs the provider's own package: pip install langchain-openai"),
        ("google-genai:x", "needs the provider's own package: pip install langchain-google-genai"),
        ("nobody:x", "synthesizer: 'nobody:x' is not a model; take 'auto', 'embedded'"),
        ("llama3.2:3b", "a model of Ollama is written 'ollama:llama3.2:3b'"),
    ],
)
def test_a_provider_that_is_not_installed_or_not_known(name: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        make_chat_model(name, "synthesizer", Endpoints(), health=Health())
