"""An agent's tool that reads a stored document: its passages from the beginning, as far as a bound allows.

The passages come as the tool's artifact; how they are shown to a model is said where it is asked. It knows no prompt.
"""

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from stores.records import Passage
from tools.retrieval import Search

MAX_CHARS = 6_000
"""Most characters of a document that are read."""


def reading_tool(search: Search, tool_name: str, description: str) -> BaseTool:
    """The tool.

    Args:
        search: finds the document.
        tool_name: as the model calls it.
        description: what the agent's model reads.
    """

    async def read(name: str) -> tuple[str, list[Passage]]:
        passages = bounded(await search.document(name))
        if not passages:
            raise ToolException(f"there is no document {name!r}: take a title as it stands at the head of a passage")
        return passages[0]["title"], passages

    return StructuredTool.from_function(
        coroutine=read, name=tool_name, description=description, response_format="content_and_artifact"
    )


def bounded(passages: list[Passage], most: int = MAX_CHARS) -> list[Passage]:
    """The first passages, up to so many characters in all; the last one is cut."""
    kept, left = list[Passage](), most
    for passage in passages:
        if left <= 0:
            break
        kept.append(Passage(**{**passage, "text": passage["text"][:left]}))
        left -= len(passage["text"])
    return kept
