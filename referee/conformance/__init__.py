"""The conformance kit: examines step by step whether a bot speaks the protocol as SPEC.md says.

The kit plays the referee's side of the wire itself, so that each message to the bot is scripted and the
same every time. It examines one bot at a time and does not import the hub.
"""
