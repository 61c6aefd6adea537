"""What calls of language models took: counted, added up, never guessed."""

from langchain_core.messages import AIMessage, BaseMessage

from models.prices import Price
from prompts.answer import Usage


def no_usage() -> Usage:
    """Nothing was called."""
    return Usage(
        llm_calls=0, prompt_tokens=0, completion_tokens=0, by_reason={}, wait_ms=0.0, cost_usd=0.0, unpriced_calls=0
    )


def call_usage(
    reason: str, message: BaseMessage | None = None, price: Price | None = None, *, refused: bool = False
) -> Usage:
    """One call for this reason, with the tokens that its answer reports, if any.

    Args:
        reason: what it was for.
        message: what the model answered; None when it failed.
        price: of the model; None when it is not known.
        refused: the server did nothing, so that it cost nothing.
    """
    told = message.usage_metadata if isinstance(message, AIMessage) else None
    read, written = (told["input_tokens"], told["output_tokens"]) if told else (0, 0)
    known = refused or (price is not None and (told is not None or price.is_free))
    return Usage(
        llm_calls=1,
        prompt_tokens=read,
        completion_tokens=written,
        by_reason={reason: 1},
        wait_ms=0.0,
        cost_usd=price.of(read, written) if price else 0.0,
        unpriced_calls=0 if known else 1,
    )


def wait_usage(seconds: float) -> Usage:
    """Nothing was called, but waited for."""
    return {**no_usage(), "wait_ms": seconds * 1000}


def add_usage(a: Usage, b: Usage) -> Usage:
    """Both together."""
    reasons = {**a["by_reason"], **b["by_reason"]}
    return Usage(
        llm_calls=a["llm_calls"] + b["llm_calls"],
        prompt_tokens=a["prompt_tokens"] + b["prompt_tokens"],
        completion_tokens=a["completion_tokens"] + b["completion_tokens"],
        by_reason={r: a["by_reason"].get(r, 0) + b["by_reason"].get(r, 0) for r in reasons},
        wait_ms=a["wait_ms"] + b["wait_ms"],
        cost_usd=a["cost_usd"] + b["cost_usd"],
        unpriced_calls=a["unpriced_calls"] + b["unpriced_calls"],
    )
