"""Records: Django's admin in the frame of the console, in the words of the console."""
