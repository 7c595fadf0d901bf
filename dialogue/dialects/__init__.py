"""How agents of other frameworks pause and what they expect back, as data. No Django."""
