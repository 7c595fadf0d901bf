"""The sockets: a server frame that matters is a committed row with a number; the channel layer is only a doorbell."""
