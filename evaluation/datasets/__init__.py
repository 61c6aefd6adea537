"""Question sets: what they hold, how their files are read, sampled, pooled and fetched."""
