// What a view and its events say, in the words of the drawing.

export const seatsOf = view => view.seats ?? view.hands?.length ?? 0;
export const slotsOf = view => view.slots ?? [];
export const marksOf = (view, slot) => slotsOf(view)[slot]?.marks ?? [];
export const rowOf = (view, slot, seat) => slotsOf(view)[slot]?.rows?.[seat] ?? [];

// The place of a click on a row: one's own row stands for the business, as cards are played there.
export const rowSpot = (view, slot, seat) => (view.you === seat ? `business:${slot + 1}` : `row:${slot + 1}:${seat}`);

// The cards of a seat's hand, if the view knows them.
export function heldBy(view, seat) {
  if (view.cards) return view.cards[seat] ?? [];
  return view.you === seat ? view.hand ?? [] : null;
}

// An event with what the viewer may know of it; the referee's view has the secrets of single seats apart.
export const whole = event => ({ ...event, ...(event.secrets?.[event.seat] ?? {}) });
