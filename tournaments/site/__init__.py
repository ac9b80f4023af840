"""The pages of an event: standings, matches, bots, faults and replays, as files and for the live site.

Promises that pages ask no other host, that names are text and never markup, and that nothing is shown of a
deal that is still to be played. Imports `report` and what is below; plays nothing and serves nothing.
"""
