"""An agent's tool that searches the web with DuckDuckGo; the one use of langchain-community (extra `web-search`)."""

import asyncio
import warnings

from langchain_core.tools import BaseTool, StructuredTool

from stores.errors import InputError
from stores.records import Passage

RESULTS = 5
"""Results of one search."""
SECONDS = 20.0
"""Longest time for one search."""
INSTALL = "web_search: it needs an extra: pip install 'lookahead-rag[web-search]', or leave web_search off"


def web_tool(tool_name: str, description: str) -> BaseTool:
    """The tool; its artifact is the results as passages, each with the page's address as its id.

    Args:
        tool_name: as the model calls it.
        description: what the agent's model reads.

    Raises:
        InputError: the extra is not installed.
    """
    try:
        with warnings.catch_warnings():  # that it is no longer maintained is no news to who runs the agent
            warnings.simplefilter("ignore", DeprecationWarning)
            from langchain_community.utilities import DuckDuckGoSearchAPIWrapper

            web = DuckDuckGoSearchAPIWrapper()
    except ImportError as error:
        raise InputError(INSTALL) from error

    async def search(query: str) -> tuple[str, list[Passage]]:
        async with asyncio.timeout(SECONDS):
            found = await asyncio.to_thread(web.results, query, RESULTS)
        return f"{len(found)} pages", [_passage(one) for one in found]

    return StructuredTool.from_function(
        coroutine=search, name=tool_name, description=description, response_format="content_and_artifact"
    )


def _passage(result: dict[str, str]) -> Passage:
    link = result.get("link", "")
    return Passage(
        id=link, document_id=link, title=result.get("title", link), text=result.get("snippet", ""), metadata={}
    )
