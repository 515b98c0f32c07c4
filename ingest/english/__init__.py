"""What is known of English: names, words and date phrases. Identity and extraction both build on it."""
