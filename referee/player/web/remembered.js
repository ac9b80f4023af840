// Pictures that are made once: what a board draws again in the same way costs nothing, neither to make nor to paint.

// A function that makes a picture once for each key. `keyOf` makes the key, which names all that the picture depends on.
export function remembered(keyOf, make) {
  const made = new Map();
  return (...parts) => {
    const key = keyOf(...parts);
    if (!made.has(key)) made.set(key, make(...parts));
    return made.get(key);
  };
}
