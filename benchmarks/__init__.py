"""Speed, as ratios against what a user would write by hand, measured in one process."""
