"""Parts that several games share. They know no game."""
