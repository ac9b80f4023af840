"""Why a submission cannot be entered."""

import errno
from typing import Final

from referee.errors import RefereeError

OF_HOST: Final = frozenset(
    [
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    ]
)
"""Errors of this host: no submission fails by them, because its author can do nothing about them."""


class SubmissionError(RefereeError):
    """A submission that cannot be entered; the text is one line for its author, with the cure."""
