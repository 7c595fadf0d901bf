"""The sockets: every server frame that matters is a committed row with a number; the channel layer only tells of it."""
