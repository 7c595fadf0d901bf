"""Assistants, their flows, versions and releases; import and export of their documents."""
