"""One file per prompt: template, answer schema, parser. Imports nothing of ours."""
