"""From ranked passages and ids to the answers of the tools."""
