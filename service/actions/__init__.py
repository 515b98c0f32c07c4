"""Actions of the app that take several steps: receipts, waiting for jobs, rebuilds, resolutions."""
