"""Conversations: what people wrote or said to each other."""
