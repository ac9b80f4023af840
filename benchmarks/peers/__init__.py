"""Other referees and rules beside ours; their code is installed in an environment of its own."""
