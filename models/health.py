"""What is known of a model's server from the calls made so far: whether it is down, and until when it asked to wait."""


class Health:
    """One for each model and address, shared by all runs of a process."""
