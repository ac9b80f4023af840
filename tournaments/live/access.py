"""Who may see what the public may not: the organiser and authors, by their tokens."""

from typing import Final

from starlette.requests import Request

from tournaments.live.answers import Refusal, bearer_of
from tournaments.live.guard import RateLimit
from tournaments.live.live_event import LiveEvent
from tournaments.live.live_site import LiveSite
from tournaments.live.tokens import Tokens, Visitor

_MINUTE: Final = 60.0


class Access:
    """Checks tokens. The operator's log has each wrong one; an address that sends many is not answered.

    A right token is valid always: it has too many digits to be found by trying, and behind one address may be
    a class with its teacher, whom no pupil may lock out.
    """

    def __init__(self, site: LiveSite) -> None:
        tries = site.settings.limits.tries
        self._site = site
        self._wrong = RateLimit(tries / _MINUTE, tries)

    def organiser(self, request: Request, event: LiveEvent) -> None:
        """Raise Refusal unless the request is the organiser's."""
        if not self.visitor(request, event).is_organiser:
            raise Refusal(403, "this is for the organiser")

    def author(self, request: Request, event: LiveEvent) -> str:
        """Return the bot whose author sent the request. Raises Refusal for any other request."""
        bot = self.visitor(request, event).bot
        if bot is None:
            raise Refusal(403, "this is for the author of a bot; the organiser has `referee why`")
        return bot

    def visitor(self, request: Request, event: LiveEvent) -> Visitor:
        """Return the visitor of a request with a token. Raises Refusal if it has none that is valid."""
        token = bearer_of(request)
        if not token:
            raise Refusal(401, "this needs a token", WWW_Authenticate="Bearer")
        visitor = Tokens(event.source.secret).visitor(token)
        if visitor is None:
            self.check_tries(request)
            self.count_wrong(request, "a wrong token")
            raise Refusal(401, "this token is not valid, or no longer", WWW_Authenticate="Bearer")
        return visitor

    def check_tries(self, request: Request) -> None:
        """Raise Refusal for an address that has tried too often."""
        if self._wrong.left(_address(request)) < 1:
            raise Refusal(429, "too many wrong tokens; try again in a minute", Retry_After="60")

    def count_wrong(self, request: Request, what: str) -> None:
        """Count and report a try that was wrong."""
        self._wrong.allows(_address(request))
        self._site.remark(f"{what} was sent from {_address(request)}", warns=True)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
