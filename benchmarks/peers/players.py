"""Plays with one peer, by its public functions, and prints what it took as JSON.

It runs in the environment of the peers, where nothing of ours is installed: `players.py NAME COUNT SEED`.
Bots take any legal action. Setting up a game, and the first deal, are not counted.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any


class Watch:
    """Counts decisions, and adds up the time that is spent inside `with`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0
        self.wall_s = self.cpu_s = 0.0
        self._began = (0.0, 0.0)

    def is_on(self) -> bool:
        """Whether more is to be played."""
        return self.count < self.most

    def __enter__(self) -> None:
        self._began = (time.perf_counter(), time.process_time())

    def __exit__(self, *_: object) -> None:
        self.wall_s += time.perf_counter() - self._began[0]
        self.cpu_s += time.process_time() - self._began[1]


def uci(watch: Watch, engine: str, at_once: int) -> None:
    """Let python-chess referee games of a UCI engine that searches one node for a move."""
    import chess.engine

    limit = chess.engine.Limit(nodes=1)

    async def table(sides: list[Any]) -> None:
        while watch.is_on():
            board = chess.Board()
            # Different first moves: the engine always answers the same.
            board.push(random.choice(list(board.legal_moves)))
            while watch.is_on() and not board.is_game_over():
                played = await sides[board.turn].play(board, limit)
                board.push(played.move)
                watch.count += 1

    async def all_tables() -> None:
        sides = [(await chess.engine.popen_uci(engine))[1] for _ in range(2 * at_once)]
        with watch:
            await asyncio.gather(*(table(sides[2 * n : 2 * n + 2]) for n in range(at_once)))
        for side in sides:
            await side.quit()

    asyncio.run(all_tables())


def kaggle(watch: Watch) -> None:
    """Let kaggle-environments referee Connect X; the agents are functions in its process."""
    from kaggle_environments import make

    def agent(observation: Any, configuration: Any) -> int:
        columns = range(configuration.columns)
        return random.choice([column for column in columns if not observation.board[column]])

    env = make("connectx")
    while watch.is_on():
        env.reset()
        with watch:
            watch.count += len(env.run([agent, agent])) - 1


def open_spiel(watch: Watch, name: str, *, view: bool) -> None:
    """Play a game of OpenSpiel."""
    import pyspiel

    game = pyspiel.load_game(name)
    while watch.is_on():
        state = game.new_initial_state()
        _spiel_chance(state)
        with watch:
            while watch.is_on() and not state.is_terminal():
                if view:
                    state.observation_string(state.current_player())
                state.apply_action(random.choice(state.legal_actions()))
                watch.count += 1
                _spiel_chance(state)


def _spiel_chance(state: Any) -> None:
    while state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(random.choices(outcomes, weights)[0])


def chess_rules(watch: Watch) -> None:
    """Play chess by python-chess."""
    import chess

    while watch.is_on():
        board = chess.Board()
        with watch:
            while watch.is_on() and not board.is_game_over():
                board.push(random.choice(list(board.legal_moves)))
                watch.count += 1


def rlcard(watch: Watch) -> None:
    """Play no-limit hold'em by RLCard; a step returns the view."""
    from rlcard import make

    env = make("no-limit-holdem")
    while watch.is_on():
        state, _ = env.reset()
        with watch:
            while watch.is_on() and not env.is_over():
                state, _ = env.step(random.choice(list(state["legal_actions"])))
                watch.count += 1


def pettingzoo(watch: Watch) -> None:
    """Play no-limit hold'em by PettingZoo; `last` returns the view."""
    from pettingzoo.classic import texas_holdem_no_limit_v6

    env = texas_holdem_no_limit_v6.env()
    while watch.is_on():
        env.reset()
        with watch:
            for _ in env.agent_iter():
                view, _, ended, cut, _ = env.last()
                if ended or cut:
                    env.step(None)
                    continue
                env.step(int(random.choice(view["action_mask"].nonzero()[0])))
                watch.count += 1


def pokerkit(watch: Watch) -> None:
    """Play no-limit hold'em by PokerKit, everything but the decisions automated."""
    from pokerkit import Automation, NoLimitTexasHoldem

    while watch.is_on():
        state = NoLimitTexasHoldem.create_state(tuple(Automation), True, 0, (1, 2), 2, (200, 200), 2)
        with watch:
            while watch.is_on() and state.actor_index is not None:
                actions = [
                    action
                    for can, action in (
                        (state.can_fold, state.fold),
                        (state.can_check_or_call, state.check_or_call),
                        (state.can_complete_bet_or_raise_to, state.complete_bet_or_raise_to),
                    )
                    if can()
                ]
                random.choice(actions)()
                watch.count += 1


_POKER = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=100 50,firstPlayer=2 1 1 1,numSuits=4,"
    "numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=20000 20000,bettingAbstraction=fcpa)"
)

PLAYERS: dict[str, tuple[str, Callable[..., None]]] = {
    "uci-1": ("chess", lambda watch, engine: uci(watch, engine, 1)),
    "uci-8": ("chess", lambda watch, engine: uci(watch, engine, 8)),
    "kaggle": ("kaggle-environments", kaggle),
    "spiel-poker": ("open_spiel", lambda watch: open_spiel(watch, _POKER, view=False)),
    "spiel-poker-view": ("open_spiel", lambda watch: open_spiel(watch, _POKER, view=True)),
    "spiel-gin": ("open_spiel", lambda watch: open_spiel(watch, "gin_rummy", view=False)),
    "chess": ("chess", chess_rules),
    "rlcard": ("rlcard", rlcard),
    "pokerkit": ("pokerkit", pokerkit),
    "pettingzoo": ("pettingzoo", pettingzoo),
}
"""By name: the package it needs, and the function that plays."""


def main(name: str, count: str, seed: str, *more: str) -> None:
    """Play some decisions to be warm, then measure."""
    package, play = PLAYERS[name]
    random.seed(seed)
    play(Watch(max(1, int(count) // 20)), *more)
    watch = Watch(int(count))
    play(watch, *more)
    figures = {"count": watch.count, "wall_s": watch.wall_s, "own_s": watch.cpu_s}
    # The last line: libraries print too.
    print("\n" + json.dumps({"version": version(package), **figures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
