"""Answers for a person's eyes. Everything that was stored is shown as text, never as markup."""
