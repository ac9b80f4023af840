"""The games of this distribution, a folder each; the registry finds them by themselves."""
