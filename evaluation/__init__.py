"""Data sets, metrics and the shipped sample. Imports prompts, stores, models and tools."""
