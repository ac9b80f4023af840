// Pictures that are made once: what a board draws again in the same way costs nothing, neither to make nor to paint.

// A function that makes a picture only once for each key; the key has to name all that the picture depends on.
export function remembered(make) {
  const made = new Map();
  return (key, ...parts) => {
    if (!made.has(key)) made.set(key, make(...parts));
    return made.get(key);
  };
}
