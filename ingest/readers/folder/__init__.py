"""Folders: which files there are below the paths a user named, and which of them are left out."""
