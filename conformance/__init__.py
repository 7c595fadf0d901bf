"""Programs of other frameworks pause, are answered at our desk, and continue: `python -m conformance`."""
