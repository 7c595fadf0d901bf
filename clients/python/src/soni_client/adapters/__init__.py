"""One module for each framework: what pauses there is asked on the desk, and the answer lets it continue."""
