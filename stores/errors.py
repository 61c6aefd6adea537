"""The one error tree.

It lives in `stores` because that is the lowest folder that everyone above may import. Every message names the stage,
quotes the value with `!r` and says what to do next; the command line prints it as it is and exits with 1.
"""


class LookaheadError(RuntimeError):
    """Root of every error that the user can act on.

    A RuntimeError, because LangGraph's server tells its clients the text of Python's own kinds of error alone.
    """


class InputError(LookaheadError):
    """The question, the plan, the file or the setting given by the user cannot be used."""


class ModelError(LookaheadError):
    """A model is unknown, not installed, or gave up."""


class StoreError(LookaheadError):
    """The document store cannot do what was asked."""


class NamespaceNotFound(StoreError):
    """The namespace holds no documents."""


class EmbedderMismatch(StoreError):
    """The namespace was embedded by another model, dimension, prefix or normalisation."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of this program."""


class StoreBusy(StoreError):
    """Another process is writing to the store."""


class StoreFull(StoreError):
    """The disk is full or the folder cannot be written."""
