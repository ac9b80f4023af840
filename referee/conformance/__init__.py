"""The conformance kit: examines whether a bot speaks the protocol as SPEC.md says, step by step.

It plays the referee's side of the wire itself, with the codec of `protocol` and the games of the registry, so
that what a bot is sent is scripted and the same every time. It examines one bot at a time and is no hub.
"""
