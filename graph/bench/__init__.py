"""The steps of the benchmark graph: thin functions around `evaluation`, and what runs the methods."""
