"""The knobs of one run of the react graph: those of all graphs, and the agent's own."""

from pydantic import Field

from nodes.context import Context


class ReactContext(Context):
    """Settings of one question to the agent; `planner` names the model that decides."""

    max_steps: int = Field(
        6, title="Agent: steps", ge=1, le=50, description="Most steps of the agent: decisions what to do next"
    )
    web_search: bool = Field(
        False,
        title="Agent: search the web",
        description="Let the agent search the web too (needs the extra web-search; queries leave this machine)",
    )
