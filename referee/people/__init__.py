"""What a person needs to decide, at a terminal or in a browser: words for actions, hints, rules, the result.

Promises that everything is made from the messages to that person's own seat. `match_context` holds what a
person knows of a match; `explain` and `hints` explain actions; `rulebook` finds a section of the rules;
`verdict` describes the end. Imports `match` and what is below; does no input and no output.
"""
