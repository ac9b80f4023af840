"""Why a submission cannot be entered."""

from referee.errors import RefereeError


class SubmissionError(RefereeError):
    """A submission that cannot be entered; the text is one line for its author, with the cure."""
