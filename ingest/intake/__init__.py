"""Intake: memories and files are split into chunks and stored, durable and findable by words."""
