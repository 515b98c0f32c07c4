"""What a call does beyond one step: receipts, waiting for jobs, rebuilds, resolutions."""
