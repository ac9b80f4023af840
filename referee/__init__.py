"""The referee: enforces the rules and the hidden information of board games among bots it does not trust."""
