"""How the admin writes dates: as the console does, with 24 hours and the zone."""
