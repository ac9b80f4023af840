"""The live site: the pages of an event while it is played, in a process of its own.

The command that plays binds the address and starts `python -m tournaments.live` (`site_process.SiteProcess`);
the two processes are joined by a socket of packets, the link (`referee.hub.feed` at the hub's end, `hub_link`
at the site's end, messages in `referee.hub.feed_messages`). The first packet to the site is its
`settings.SiteSettings`. The site ends when the link is closed, so also when the hub is killed.

`LiveSite` (`live_site`) is everything the site knows: its settings, its link, its events and its watchers.
`app.make_app(site)` makes the application. A part of the site is a module with a function
`routes(site) -> list[Route]`, and a place in `app.PARTS`. A part that takes messages of the hub registers
with `site.link.on(PersonCame, handler)`: the handler gets the message and the descriptors that came with it;
`site.at_end(callback)` calls back when the site ends. `answers.Refusal` is raised to refuse a request,
`answers.read_body` reads a request's JSON, `answers.bearer_of` its token, and `sse.stream` answers with
server-sent events. `guard` has checked host, origin, rate and size before a route is called, and adds the
headers of security.

Knows the pages of `tournaments.site`; reads stores and never writes one. No command line.
"""
