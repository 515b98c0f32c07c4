"""Mail: saved mails one by one, and the boxes that mail programs keep them in."""
