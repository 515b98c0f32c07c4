"""Settings, wiring, and the ways in: command line and HTTP."""
