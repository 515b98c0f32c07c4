"""What requests to OpenAI's service share, or to any server that speaks the same: the gate, spending and errors."""
