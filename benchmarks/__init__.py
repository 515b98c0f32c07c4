"""Speed, as ratios against plain code that does the same, measured in one process."""
