"""Everything that follows from matches: pairings, results on disk, ratings, reports and audits.

`config` reads a tournament file, `pairing` plans matches, `runner`, `sprt_runner` and `ladder` have them
played, `store` keeps the results, `placing` gives places by the rules of a format, `rating` computes
standings, `report` and `audit` show and check them, `site` makes pages of an event, and `live` serves them
while it is played. Uses the referee's hub; the referee does not import this package, except in `referee.cli`.
"""
