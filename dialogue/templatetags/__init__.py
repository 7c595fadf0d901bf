"""What the console's templates need beyond Django's own tags."""
