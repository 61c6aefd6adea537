"""Who may come in, and which namespace is theirs."""

from typing import Any

import pytest

from graph.web.gate import Gate, Refused, Tokens
from stores.errors import InputError

SECRET = "s3cret-token-of-alpha"


def scope(client: str = "127.0.0.1", **headers: str) -> dict[str, Any]:
    given = {"host": "127.0.0.1:8765", **headers}
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()]
    return {"type": "http", "path": "/", "client": (client, 5000), "headers": pairs}


def test_a_token_opens_its_own_namespace_from_anywhere() -> None:
    gate = Gate(Tokens(f"{SECRET}=alpha, b=a=beta ,"))
    assert gate.admit(scope("203.0.113.9", authorization=f"Bearer {SECRET}")) == "alpha"
    assert gate.admit(scope(authorization="bearer b=a")) == "beta"


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer wrong", f"Basic {SECRET}", SECRET, f"Bearer {SECRET}x", "Bearer \udcff"]
)
def test_nothing_else_does(given: str) -> None:
    headers = [(b"authorization", given.encode("utf-8", "surrogateescape"))] if given else []
    with pytest.raises(Refused, match="a token is needed") as refused:
        Gate(Tokens(f"{SECRET}=alpha")).admit({**scope(), "headers": headers})
    assert refused.value.status == 401
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("text", [SECRET, f"x=alpha,{SECRET}=", f"={SECRET}", f"{SECRET}={'n' * 101}"])
def test_a_token_without_a_namespace_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InputError, match=r"entry [12] of LOOKAHEAD_TOKENS") as refused:
        Tokens(text)
    assert SECRET not in str(refused.value)


def test_tokens_are_not_kept() -> None:
    tokens = Tokens(f"{SECRET}=alpha")
    assert SECRET not in repr(tokens) + repr(vars(tokens)) + repr(vars(Gate(tokens)))


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_without_tokens_this_machine_names_its_own_namespace(address: str) -> None:
    assert Gate(Tokens("")).admit(scope(address)) is None


@pytest.mark.parametrize("address", ["203.0.113.9", "10.0.0.2", "::ffff:10.0.0.2", "testclient", ""])
def test_without_tokens_nobody_else_is_answered(address: str) -> None:
    with pytest.raises(Refused, match="no token is set, so only this machine") as refused:
        Gate(Tokens("")).admit(scope(address))
    assert refused.value.status == 403
    with pytest.raises(Refused):
        Gate(Tokens("")).admit({**scope(), "client": None})


@pytest.mark.parametrize("header", ["x_forwarded_for", "forwarded", "x_real_ip"])
def test_what_a_proxy_hands_on_is_not_this_machine(header: str) -> None:
    with pytest.raises(Refused, match="through a proxy"):
        Gate(Tokens("")).admit(scope(**{header: "127.0.0.1"}))


def test_a_page_elsewhere_may_not_use_the_browser_of_this_machine() -> None:
    gate = Gate(Tokens(""), ["https://mine.example"], domains=["smith.langchain.com"])
    for origin in ("http://localhost:3000", "https://mine.example", "https://eu.smith.langchain.com"):
        assert gate.admit(scope(origin=origin)) is None
    for origin in ("https://evil.example", "null", "https://evilsmith.langchain.com", "https://mine.example.evil.net"):
        with pytest.raises(Refused, match="a page of"):
            gate.admit(scope(origin=origin))
    with pytest.raises(Refused, match="no name of this machine"):
        gate.admit(scope(host="rebound.example:8765"))


def test_a_token_opens_one_namespace_and_a_short_one_is_called_weak() -> None:
    with pytest.raises(InputError, match="entry 2 of LOOKAHEAD_TOKENS has the token of an earlier one") as refused:
        Tokens(f"{SECRET}=alpha,{SECRET}=beta")
    assert SECRET not in str(refused.value)
    weak = Tokens(f"{SECRET}=alpha,short=beta,tiny=gamma").weak
    assert [said.split()[2] for said in weak] == ["2", "3"]
    assert "short" not in weak[0]
