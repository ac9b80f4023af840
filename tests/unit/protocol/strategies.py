"""Any message the protocol allows, for hypothesis."""

from typing import Any

from hypothesis import strategies as st

from protocol import limits
from protocol.messages import (
    Act,
    Ask,
    AskClock,
    Bye,
    End,
    Error,
    FromBot,
    FromReferee,
    Hello,
    Limits,
    Ping,
    Pong,
    Ready,
    Refuse,
    Start,
    Tell,
    TimeControl,
    Welcome,
)

numbers = st.integers(0, limits.INTEGER)
tokens = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=128)
actions = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=256)
names = st.text(min_size=1, max_size=64).filter(str.isprintable)
reasons = st.text(max_size=100)
wants = st.lists(st.sampled_from(["view", "legal", "events", "stream"]), max_size=8)
leaves = st.none() | st.booleans() | st.integers(-limits.INTEGER, limits.INTEGER) | st.text(max_size=8)


def maps(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.text(max_size=8), inner, max_size=3)


values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | maps(inner), max_leaves=6)


events = st.lists(maps(values), max_size=3)
plans = st.lists(actions, min_size=1, max_size=limits.PLAN_LENGTH)
beats = st.builds(Ping, numbers) | st.builds(Pong, numbers)
common = (
    beats
    | st.builds(Error, names, reasons, st.none() | tokens, st.none() | numbers)
    | st.builds(Bye, reasons)
)
from_bots: st.SearchStrategy[FromBot] = st.one_of(
    st.builds(
        Hello,
        protocol=st.lists(numbers, min_size=1, max_size=16),
        name=names,
        games=st.lists(names, max_size=3),
        wants=wants,
        capacity=st.integers(1, limits.CAPACITY),
        token=st.none() | tokens,
        session=st.none() | tokens,
        kit=st.just("") | names,
    ),
    st.builds(Ready, tokens),
    st.builds(Act, tokens, numbers, actions),
    st.builds(Act, tokens, numbers, actions=plans),
    common,
)
from_referees: st.SearchStrategy[FromReferee] = st.one_of(
    st.builds(Welcome, numbers, tokens, st.builds(Limits, numbers, numbers, numbers), st.booleans()),
    st.builds(Refuse, names, reasons),
    st.builds(
        Start,
        match=tokens,
        game=names,
        options=st.dictionaries(st.text(max_size=8), st.text(max_size=8) | numbers, max_size=3),
        seat=numbers,
        seats=numbers,
        names=st.lists(st.text(max_size=8), max_size=4),
        clock=st.builds(TimeControl, numbers, numbers, numbers, numbers, numbers),
        commit=reasons,
    ),
    st.builds(
        Ask,
        match=tokens,
        id=numbers,
        clock=st.builds(AskClock, numbers, numbers, numbers),
        events=events,
        view=st.none() | maps(values),
        legal=st.none() | st.lists(actions, max_size=5),
    ),
    st.builds(Tell, tokens, events),
    st.builds(
        End,
        match=tokens,
        ranks=st.lists(numbers, max_size=4),
        scores=st.lists(st.integers(-1000, 1000), max_size=4),
        reason=reasons,
        ties=st.sampled_from(["draw", "unordered"]),
        faults=st.lists(reasons, max_size=4),
        reveal=st.none() | reasons,
        events=events,
        void=st.booleans(),
    ),
    common,
)
