"""What an error of msgspec says, and where."""

import msgspec


def split_validation_error(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return what is wrong, and the path of the value as in `$.field[0]`; '' for the value as a whole."""
    # msgspec has no attribute for the path: it is in the text only.
    what, _, path = str(error).partition(" - at ")
    return what, path.replace("`", "")
