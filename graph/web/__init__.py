"""The HTTP service: questions, documents and plans that wait, within `langgraph dev` and on its own."""
