"""Requests of agents of other systems: opened, answered, withdrawn."""
