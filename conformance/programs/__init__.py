"""One program for each ecosystem, in the words of its framework. Each runs in an environment of its own.

The modules import `desk_calls` from their own folder, because they are started as scripts.
"""
