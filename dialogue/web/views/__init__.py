"""The pages: a view fetches what its caller may see, takes one decision, and answers."""
