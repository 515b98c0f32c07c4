"""What holds: decisions that supersede others, and reports that complete promises."""
