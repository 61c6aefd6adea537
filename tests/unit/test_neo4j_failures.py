"""What goes wrong with a Neo4j server becomes one sentence, and only passing failures are tried again."""

import asyncio
from collections.abc import Callable

import pytest
from neo4j import exceptions as neo4j

from stores.errors import NamespaceNotFound, StoreBusy, StoreError, StoreFull
from stores.neo4j import Neo4jStore
from stores.neo4j_address import Neo4jSettings, parse_address
from stores.neo4j_connection import parse_version, persevere
from stores.neo4j_failures import explain, is_transient

SETTINGS = Neo4jSettings(username="me", password="s3cret", database="docs", timeout=3)
ADDRESS = parse_address("neo4j://host", SETTINGS)


def server_says(code: str, message: str = "as it says") -> neo4j.Neo4jError:
    return neo4j.Neo4jError._hydrate_neo4j(code=f"Neo.{code}", message=message)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (server_says("ClientError.Security.Unauthorized"), StoreError, "refuses the user 'me' .* Mend NEO4J_USERNAME"),
        (server_says("ClientError.Security.AuthenticationRateLimit"), StoreError, "too many wrong passwords"),
        (server_says("ClientError.Security.CredentialsExpired"), StoreError, "wants a new password"),
        (server_says("ClientError.Security.Forbidden"), StoreError, "does not let the user 'me'"),
        (server_says("ClientError.Database.DatabaseNotFound"), StoreError, "no database 'docs'.* NEO4J_DATABASE"),
        (
            server_says("ClientError.Schema.ConstraintValidationFailed"),
            StoreError,
            "would double .*Nothing was changed",
        ),
        (server_says("TransientError.General.MemoryPoolOutOfMemoryError"), StoreFull, "too little memory"),
        (server_says("TransientError.General.DatabaseUnavailable"), StoreBusy, "busy or starting.* again"),
        (server_says("ClientError.Transaction.TransactionTimedOut"), StoreError, "Raise NEO4J_TIMEOUT"),
        (server_says("ClientError.General.ForbiddenOnReadOnlyDatabase"), StoreFull, "takes no writes"),
        (server_says("ClientError.Statement.SyntaxError", "Wrong\nmore"), StoreError, "SyntaxError: Wrong. Run"),
        (neo4j.ServiceUnavailable("Couldn't connect"), StoreError, "cannot be reached for 9 s .Couldn't connect"),
        (neo4j.SessionExpired("Lost"), StoreError, "cannot be reached.* What was stored before is intact"),
        (neo4j.IncompleteCommit("Lost"), StoreError, "may be stored or not.* run the same command again"),
        (
            neo4j.ConnectionAcquisitionTimeoutError("none"),
            StoreBusy,
            "no connection free for 3 s; 50 .*NEO4J_CONNECTIONS",
        ),
        (TimeoutError(), StoreError, "gave no answer for 9 s"),
        (ConnectionRefusedError("refused"), StoreError, "cannot be reached"),
    ],
)
def test_each_failure_is_a_sentence_with_stage_address_and_remedy(
    error: Exception, kind: type[StoreError], said: str
) -> None:
    found = explain(error, "Storing", ADDRESS, SETTINGS, 9)
    assert type(found) is kind or (kind is StoreError and isinstance(found, StoreError))
    with pytest.raises(StoreError, match=f"^Storing: Neo4j at 'neo4j://host' .*{said}"):
        raise found
    assert "s3cret" not in str(found)
    assert "\n" not in str(found)


def test_without_a_password_it_is_asked_for_one() -> None:
    found = explain(server_says("ClientError.Security.Unauthorized"), "Storing", ADDRESS, Neo4jSettings())
    assert "asks for a login. Set NEO4J_USERNAME and NEO4J_PASSWORD" in str(found)


def test_a_mistake_in_the_program_is_not_explained() -> None:
    assert explain(ValueError("a bug"), "Storing", ADDRESS, SETTINGS) is None


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (server_says("TransientError.Transaction.DeadlockDetected"), True),
        (server_says("TransientError.General.DatabaseUnavailable"), True),
        (neo4j.ServiceUnavailable(), True),
        (neo4j.SessionExpired(), True),
        (neo4j.IncompleteCommit(), False),
        (server_says("ClientError.Security.Unauthorized"), False),
        (server_says("ClientError.Statement.SyntaxError"), False),
        (server_says("ClientError.Schema.ConstraintValidationFailed"), False),
        (TimeoutError(), False),
        (ValueError(), False),
    ],
)
def test_only_what_passes_is_tried_again(error: Exception, transient: bool) -> None:
    assert is_transient(error) is transient


def failing(times: int, error: Exception) -> Callable[[], object]:
    """Fails so many times, then returns how often it was called."""
    calls = 0

    async def attempt() -> int:
        nonlocal calls
        calls += 1
        if calls <= times:
            raise error
        return calls

    return attempt


def sentence(error: BaseException, seconds: float) -> StoreError | None:
    return explain(error, "Storing", ADDRESS, SETTINGS, seconds)


async def test_a_passing_failure_is_tried_again_until_it_passes() -> None:
    assert await persevere(failing(3, neo4j.SessionExpired()), sentence, seconds=5, patience=5) == 4


async def test_it_is_tried_no_longer_than_patience_lasts() -> None:
    attempt = failing(1000, neo4j.ServiceUnavailable("gone"))
    with pytest.raises(StoreError, match="cannot be reached"):
        await asyncio.wait_for(persevere(attempt, sentence, seconds=5, patience=0.2), 2)
    with pytest.raises(StoreError, match="cannot be reached"):
        await persevere(failing(1, neo4j.ServiceUnavailable("gone")), sentence, seconds=5, patience=0)


async def test_slow_failures_and_their_attempts_end_together() -> None:
    """A server that takes its time to fail is not asked for longer than a call may take in all."""

    async def attempt() -> None:
        await asyncio.sleep(0.15)
        raise neo4j.ServiceUnavailable("gone")

    clock = asyncio.get_running_loop().time
    started = clock()
    with pytest.raises(StoreError, match=r"cannot be reached|gave no answer"):
        await persevere(attempt, sentence, seconds=0.4, patience=0.4, altogether=0.4)
    assert clock() - started < 0.5


async def test_a_lasting_failure_is_said_at_once() -> None:
    with pytest.raises(StoreError, match="refuses the user"):
        await persevere(failing(1, server_says("ClientError.Security.Unauthorized")), sentence, seconds=5, patience=5)


async def test_a_sentence_of_ours_and_a_mistake_come_through_as_they_are() -> None:
    for error in (NamespaceNotFound("none"), KeyError("bug")):
        with pytest.raises(type(error)) as raised:
            await persevere(failing(1, error), sentence, seconds=5, patience=5)
        assert raised.value is error


async def test_a_server_that_does_not_answer_is_given_up() -> None:
    with pytest.raises(StoreError, match="gave no answer"):
        await persevere(asyncio.Event().wait, sentence, seconds=0.05, patience=5)


@pytest.mark.parametrize(
    ("agent", "version"),
    [("Neo4j/5.26.0", (5, 26)), ("Neo4j/2026.09.0", (2026, 9)), ("Neo4j/5.27-aura", (5, 27)), ("Other", (0, 0))],
)
def test_the_server_tells_its_version(agent: str, version: tuple[int, int]) -> None:
    assert parse_version(agent) == version


async def test_no_server_is_one_sentence() -> None:
    class Nowhere:
        """In place of a driver: nothing can be reached in a unit test."""

        def __init__(self) -> None:
            self.execute_query_bookmark_manager = None
            self.closed = False

        def session(self, **_: object) -> object:
            raise neo4j.ServiceUnavailable("Couldn't connect to host:7687")

        async def close(self) -> None:
            self.closed = True

    driver = Nowhere()
    store = Neo4jStore("neo4j://host", SETTINGS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stores.neo4j_connection._make_driver", lambda *_: driver)
        with pytest.raises(StoreError, match=r"^Opening the store: Neo4j at .* cannot be reached"):
            await store.__aenter__()
    assert driver.closed
