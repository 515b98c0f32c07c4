"""The shape of a text: sections, tables, sentences, the days it speaks of, and where a quote stands in it."""
