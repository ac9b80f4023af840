"""Long campaigns against the referee: each is run by a command of its own, and a short form by the tests."""
