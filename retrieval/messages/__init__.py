"""What is sent of an answer: Markdown in which stored text stays apart, JSON, and how many tokens they have."""
