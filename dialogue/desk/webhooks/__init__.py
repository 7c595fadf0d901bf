"""Webhooks: other systems' addresses are told of events, signed, in order for each conversation, at least once."""
