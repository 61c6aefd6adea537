"""Turns what the Neo4j driver and server say into errors that the user can act on; tells which are worth a retry.

Every sentence names the stage, the address and the remedy, and never a password. The driver is imported when there is
something to translate.
"""

from stores.errors import StoreBusy, StoreError, StoreFull
from stores.neo4j_address import Neo4jAddress, Neo4jSettings

_AGAIN = "What was stored before is intact; run the same command again."
_LOGIN = "Neo.ClientError.Security."


class Refused(StoreError):
    """The server would not do what a statement says."""


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed a moment later: a lost connection, a deadlock, a server that is starting.

    A connection lost while committing is not among them: the work may have been done.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    return isinstance(error, DriverError | Neo4jError) and error.is_retryable()


def explain(
    error: BaseException, stage: str, address: Neo4jAddress, settings: Neo4jSettings, seconds: float = 0
) -> StoreError | None:
    """The error as a sentence that begins with `stage`; None for a mistake in the program.

    Args:
        error: of the driver, the server or the operating system.
        stage: what was being done ("Storing").
        address: of the database.
        settings: with the user's name and the database's.
        seconds: how long was tried.
    """
    from neo4j import exceptions as neo4j

    where = f"{stage}: Neo4j at {address.shown!r}"
    match error:
        case neo4j.Neo4jError():
            return _explain_server(error, stage, where, address, settings)
        case neo4j.IncompleteCommit():
            return StoreError(
                f"{where} was lost while it committed, so the last batch may be stored or not. {_AGAIN} What is "
                "stored already is passed over."
            )
        case neo4j.ConnectionAcquisitionTimeoutError():
            return StoreBusy(
                f"{where} had no connection free for {settings.timeout:g} s; {settings.connections} are in use. Ask "
                "fewer questions at once, or raise NEO4J_CONNECTIONS."
            )
        case neo4j.ServiceUnavailable() | neo4j.SessionExpired() | OSError() if not isinstance(error, TimeoutError):
            tried = f" for {seconds:.0f} s" if seconds >= 1 else ""
            return StoreError(
                f"{where} cannot be reached{tried} ({_first_line(error)}). Check that the server runs and that address "
                f"and scheme are right (neo4j:// without TLS, neo4j+s:// with). {_AGAIN}"
            )
        case TimeoutError():
            return StoreError(
                f"{where} gave no answer for {seconds:.0f} s. Check the server's load, or raise NEO4J_TIMEOUT. {_AGAIN}"
            )
        case neo4j.DriverError() | neo4j.ConfigurationError():
            return StoreError(f"{where} cannot be used: {_first_line(error)}. Check the address and the server.")
    return None


def _explain_server(
    error: Exception, stage: str, where: str, address: Neo4jAddress, settings: Neo4jSettings
) -> StoreError:
    code, said = str(getattr(error, "code", "")), _first_line(error)
    if code.startswith(_LOGIN):
        return StoreError(f"{where} {_refusal(code, settings)}")
    if code.endswith("DatabaseNotFound"):
        return StoreError(
            f"{where} has no database {address.database!r}. Name one that exists, in the address or in "
            "NEO4J_DATABASE, or none for the default one."
        )
    if code.endswith("ConstraintValidationFailed"):
        return StoreError(
            f"{where} holds something that this would double ({said}). Make chunk ids with "
            "`stores.chunking.chunk_id`. Nothing was changed."
        )
    if "MemoryPool" in code or "OutOfMemory" in code or "StackOverflow" in code:
        return StoreFull(
            f"{where} has too little memory for the transaction ({code}). Give the server more "
            f"(dbms.memory.transaction.total.max, heap), or ingest in smaller batches. {_AGAIN}"
        )
    if "TimedOut" in code or code.endswith("LockClientStopped"):
        return StoreError(f"{where} stopped it after a time limit ({code}). Raise NEO4J_TIMEOUT. {_AGAIN}")
    if "ReadOnly" in code or code.endswith(("AccessMode", "ForbiddenOnReadOnlyDatabase")):
        return StoreFull(f"{where} takes no writes ({said}). Use a database that may be written to.")
    if code.startswith("Neo.TransientError"):
        return StoreBusy(f"{where} is busy or starting ({said}). {_AGAIN}")
    return Refused(f"{where} answered {code}: {said}. Run `lookahead verify`; if it happens again, report it.")


def _refusal(code: str, settings: Neo4jSettings) -> str:
    if code.endswith("AuthenticationRateLimit"):
        return f"refuses {settings.username!r} after too many wrong passwords. Mend NEO4J_PASSWORD and wait a minute."
    if code.endswith("CredentialsExpired"):
        return f"wants a new password for the user {settings.username!r}. Change it there, then set NEO4J_PASSWORD."
    if code.endswith("Forbidden"):
        return f"does not let the user {settings.username!r} do this. Grant it reading, writing and making indexes."
    if not settings.password:
        return "asks for a login. Set NEO4J_USERNAME and NEO4J_PASSWORD in the environment or in .env."
    return (
        f"refuses the user {settings.username!r} with the password in NEO4J_PASSWORD. Mend NEO4J_USERNAME or "
        "NEO4J_PASSWORD in the environment or in .env."
    )


def _first_line(error: BaseException) -> str:
    """What it says, in one line of at most 300 characters."""
    said = str(getattr(error, "message", None) or error).strip()
    return said.splitlines()[0][:300].rstrip(". ") if said else type(error).__name__
