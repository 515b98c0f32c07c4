"""Full text and the candidates of ranking."""
