"""The tests; README.md is the map."""
