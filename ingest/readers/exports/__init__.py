"""Exports: files in which a program or a memory hands over many items."""
