"""What a release consists of: built, then each part tried in a clean environment, by `make release`."""
