"""Copies a store, from a file to a database, back, or to another one: every row and note, with its chain."""

from msgspec import Struct

from tournaments.config.store_address import Address
from tournaments.store import chain
from tournaments.store.chain import Head
from tournaments.store.errors import StoreError
from tournaments.store.store import Store


class CopiedStore(Struct, frozen=True):
    """What a copy has."""

    head: Head
    notes: int


def copy_store(source: Address, target: Address) -> CopiedStore:
    """Copy everything in a store to a place that has none, and return what the copy has.

    The source may be written meanwhile: the copy has all that was committed at one moment. Raises StoreError
    if the source is not as it was committed, or if there is anything at the target; then nothing is copied.
    """
    with Store(source, write=False) as original:
        contents = original.contents()
        for flaw in (*original.flaws(), *(f"{source}, {flaw}" for flaw in chain.flaws(contents))):
            raise StoreError(f"{flaw}; it is not copied (`referee tournament verify` finds every flaw)")
    # A store that is opened for writing follows its chain from the beginning: that verifies the copy.
    with Store(target, copied=contents) as copy:
        if copy.head() != chain.links(contents)[-1]:
            raise StoreError(f"{target}: the copy has another head than {source}: {copy.head()}")
        return CopiedStore(copy.head(), len(contents.notes))
