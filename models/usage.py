"""What calls of language models took: counted, added up, never guessed."""

from langchain_core.messages import AIMessage, BaseMessage

from prompts.answer import Usage


def no_usage() -> Usage:
    """Nothing was called."""
    return Usage(llm_calls=0, prompt_tokens=0, completion_tokens=0, by_reason={})


def call_usage(reason: str, message: BaseMessage | None = None) -> Usage:
    """One call for this reason, with the tokens that its answer reports (none when it failed)."""
    told = message.usage_metadata if isinstance(message, AIMessage) else None
    return Usage(
        llm_calls=1,
        prompt_tokens=told["input_tokens"] if told else 0,
        completion_tokens=told["output_tokens"] if told else 0,
        by_reason={reason: 1},
    )


def add_usage(a: Usage, b: Usage) -> Usage:
    """Both together."""
    reasons = {**a["by_reason"], **b["by_reason"]}
    return Usage(
        llm_calls=a["llm_calls"] + b["llm_calls"],
        prompt_tokens=a["prompt_tokens"] + b["prompt_tokens"],
        completion_tokens=a["completion_tokens"] + b["completion_tokens"],
        by_reason={r: a["by_reason"].get(r, 0) + b["by_reason"].get(r, 0) for r in reasons},
    )
