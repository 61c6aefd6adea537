"""What a reasoning model says aloud before it answers, taken out of its text: users and parsers never see it.

Most servers hand thoughts over in a field of their own. Where one does not, they stand in the text in the marks of the
model's chat template: <think> (DeepSeek, Qwen and others), [THINK] (Magistral), channels (gpt-oss).
"""

import re

_NAMES = r"(?:think|thinking|thought|thoughts|reasoning|seed:think)"
_OPEN = re.compile(rf"<{_NAMES}>|\[THINK\]|<\|START_THINKING\|>", re.IGNORECASE)
_CLOSED = re.compile(rf"</{_NAMES}>|\[/THINK\]|<\|END_THINKING\|>", re.IGNORECASE)
_FINAL = re.compile(r"<\|channel\|>\s*final\b.{0,40}?<\|message\|>", re.DOTALL)
_BARE_CHANNEL = re.compile(r"\A\s*analysis(?=[A-Z])")
"""How a text begins where the server drops the marks around the names of channels; the answer follows _BARE_FINAL."""
_BARE_FINAL = "assistantfinal"
_MARK = re.compile(r"<\|(?:start|end|return|channel|message|call|constrain)\|>.*", re.DOTALL)
_HALF = re.compile(r"[<\[【［][^<>\[\]【】［］\n]{0,40}\Z")


def without_thoughts(text: str) -> str:
    """Drop what a reasoning model thinks aloud, also where the thoughts have not ended yet.

    >>> without_thoughts("<think>Hm.</think> Yes.")
    'Yes.'
    >>> without_thoughts("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.")
    'Yes.'
    >>> without_thoughts("Yes. <think>Or")
    'Yes.'
    """
    if "<|channel|>" in text:
        finals = list(_FINAL.finditer(text))
        text = text[finals[-1].end() :] if finals else ""
    elif _BARE_CHANNEL.match(text):
        text = text.rpartition(_BARE_FINAL)[2] if _BARE_FINAL in text else ""
    text = _MARK.sub("", text)
    closed = list(_CLOSED.finditer(text))
    text = text[closed[-1].end() :] if closed else text
    opened = _OPEN.search(text)
    return (text[: opened.start()] if opened else text).strip()


def without_half_mark(text: str) -> str:
    """Drop the start of a mark or citation at the end of a text that is still being written.

    >>> without_half_mark("She was born there [n2.")
    'She was born there '
    """
    return _HALF.sub("", text)
