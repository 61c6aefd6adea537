"""One file per stage of a graph, beside state, context and deps. Imports all but evaluation and graph."""
