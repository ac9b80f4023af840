// Differences of views, as the referee writes them (referee/player/frames.py), and the views that they lead to.

// Return a value with a difference applied. The old value stays as it was; parts that are equal are shared.
export function patched(value, patch) {
  if (patch == null) return value;
  const [kind, content, gone] = patch;
  if (kind === 0) return content;
  const copy = Array.isArray(value) ? value.slice() : { ...value };
  for (const key of gone ?? []) delete copy[key];
  for (const [key, each] of Object.entries(content)) copy[key] = patched(copy[key], each);
  return copy;
}

// The views of one track. Each is made once, from the one before it; since they share what is equal, all are kept.
export class Views {
  constructor(steps) {
    this.steps = steps;
    this.made = [];
  }

  get length() {
    return this.steps.length;
  }

  // Return the view after a step; step 0 is the deal.
  at(step) {
    for (let next = this.made.length; next <= step; next++) {
      this.made.push(patched(next ? this.made[next - 1] : {}, this.steps[next].view));
    }
    return this.made[step];
  }
}

// Return the document of a match in this text: JSON, compressed, in base64. Rejects with a sentence if it is not such a text.
export async function unpacked(id, text) {
  try {
    const bytes = Uint8Array.from(atob(text.trim()), letter => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  } catch {
    throw new Error(`The match ${id} cannot be read: the file is damaged, or this browser is older than 2023.`);
  }
}
