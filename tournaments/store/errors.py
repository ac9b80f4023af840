"""What can be wrong with a store."""

from referee.errors import ConfigError, RefereeError


class StoreError(RefereeError):
    """A store that cannot be used, or could not be written; what was committed before is safe."""


class NoResultsError(StoreError):
    """There is no store yet, or its first writer ended before it was ready."""


class StoreBusyError(StoreError):
    """Another process writes to the store."""


class StorePlaceError(StoreError, ConfigError):
    """A place where a store or its replays cannot be kept; nothing was started."""


class StoreLostError(StoreError):
    """A store that was removed, moved or replaced while it was open for writing."""


class StoreOutageError(StoreError):
    """The server of a store does not answer; it may come back."""
