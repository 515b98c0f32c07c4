"""HTTP besides MCP: who may ask, how much, and health."""
