"""Retrieval: query to ranked passages. Imports prompts, stores and models."""
