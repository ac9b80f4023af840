// Elements of a page. Texts are texts: nothing here makes markup of them, so names of bots are harmless.

// Make an element. An attribute that is a function listens to the event of its name (`onclick`); one that is true has
// no value; one that is false or null is left out. Children are nodes or texts; lists are flattened, gaps left out.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value == null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  append(made, children);
  return made;
}

// Put these children in place of those that an element has.
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
  return parent;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child != null && child !== false) parent.append(typeof child === "number" ? String(child) : child);
  }
}

// A button with a short text or sign on it, and its meaning in words: shown by hover, read to those who do not see.
export function button(sign, meaning, onclick, attributes = {}) {
  return element("button", { type: "button", title: meaning, "aria-label": meaning, onclick, ...attributes }, sign);
}

// Copy a text and report whether it worked. Pages from a disk may have no clipboard: then a selection is copied.
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

function copiedBySelection(text) {
  const area = element("textarea", { readonly: true, class: "off-screen", "aria-hidden": "true" });
  const active = document.activeElement;
  area.value = text;
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    active?.focus?.();
  }
}

// Whether keys are meant for something that is typed into or chosen from.
export function isTyping(target) {
  return Boolean(target?.closest?.("input:not([type=range]), select, textarea, [contenteditable]"));
}
