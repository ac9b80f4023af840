"""What a browser needs to show matches: frames of a replay, pictures of positions, the player.

Promises that the frames of a viewer hold what that viewer may know, and that pages ask no other host. Scripts
and styles are in `web`; a game is drawn by the `picture/board.js` in its folder. Imports `replay` and what is
below; does no network.
"""
