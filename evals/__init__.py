"""Quality on public data that is kept outside the project; nothing here is imported by the service."""
