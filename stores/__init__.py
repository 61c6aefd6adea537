"""Records, the PassageStore protocol, stores, chunking and links. Imports nothing of ours."""
