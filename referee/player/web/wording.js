// Words that the boards of all games write.

export const capital = words => words.charAt(0).toUpperCase() + words.slice(1);

// A number with its noun: `1 card`, `2 cards`.
export const howMany = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// The reason of a result as words: `last_business` is one of its names.
export const reasonText = reason => String(reason).replaceAll("_", " ");
