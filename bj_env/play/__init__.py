"""Tables to sit at: `game` is what every one of them plays, `terminal` and `web` are where people sit down.

Needs the extra ``play``.
"""
