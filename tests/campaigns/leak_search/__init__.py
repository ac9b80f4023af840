"""The canary run: hidden cards carry nonces, and every byte is searched for what its reader must not know."""
