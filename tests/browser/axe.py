"""Checks pages for barriers with axe-core, which comes with the package axe-playwright-python."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_AXE = Axe()
_COUNTED = ("serious", "critical")
_OPTIONS = {"preload": False, "resultTypes": ["violations"]}
"""Axe would fetch style sheets to look at one rule; our pages forbid it, and it would wait ten seconds. And
it would describe every element without a flaw, which takes longer than to find those with one."""
_SHOWN = 5
"""Elements that are named of each finding."""


def findings(page: Page) -> list[str]:
    """Return the serious and critical violations of a page as it is shown now."""
    found = _AXE.run(page, options=_OPTIONS).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {rule['help']}: {_elements(rule['nodes'])}"
        for rule in found
        if rule["impact"] in _COUNTED
    ]


def _elements(nodes: list[dict[str, str]]) -> str:
    named = [node["html"][:160] for node in nodes[:_SHOWN]]
    more = [f"and {len(nodes) - _SHOWN} more"] if len(nodes) > _SHOWN else []
    return " | ".join(named + more)
