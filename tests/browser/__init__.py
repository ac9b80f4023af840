"""Pages in a real Chromium, which is started once for all tests of this package."""
