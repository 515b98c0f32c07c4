"""Forms of names: which ones a person or a company may have, and under which somebody is looked up."""
