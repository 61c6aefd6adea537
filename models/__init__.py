"""Embedder, reader, planner, synthesizer and their weights. Imports prompts and stores."""
