"""Scenario files and their runner: whole conversations with what is expected of each turn."""
