"""What the engine, the NLU and commands call things, in the words of pages and in the reader's language."""
