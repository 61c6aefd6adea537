"""The prompt for answering from what a model knows, with no documents: how much of a score is memory."""

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from prompts.fencing import line

SYSTEM = """You answer a question from what you know. There are no documents.

Write exactly this:
Answer: <the shortest exact answer: a name, a date, a number, yes or no; no sentence, no explanation>
<then one or two sentences on why>

- For a yes/no question the answer is "yes" or "no". For a choice it is one of the options, as the question spells it.
- Give your best guess where you are not sure. Only if you have none, write "Answer: unknown"."""
"""The form is that of `prompts.synthesis`, which reads the reply."""


def closed_book_messages(question: str) -> list[BaseMessage]:
    """Build the messages."""
    return [SystemMessage(SYSTEM), HumanMessage(f'Question: {line(question)}\n\nBegin with "Answer:".')]
