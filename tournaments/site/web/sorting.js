// Tables that are sorted by a click on a head. Without a script they are as the referee ordered them.

const compare = new Intl.Collator(undefined, { numeric: true }).compare;

// Make the tables below an element sortable, each once.
export function makeSortable(parent) {
  for (const table of parent.querySelectorAll("table.sortable:not([data-sorted])")) {
    table.dataset.sorted = "";
    [...table.tHead.rows[0].cells].forEach((head, column) => addButton(table, head, column));
  }
}

function addButton(table, head, column) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => sort(table, head, column));
}

function sort(table, head, column) {
  const up = head.getAttribute("aria-sort") === "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((a, b) => inOrder(key(a, column), key(b, column)));
  body.append(...(up ? rows : rows.reverse()));
}

const key = (row, column) => row.cells[column].dataset.key ?? row.cells[column].textContent;

function inOrder(a, b) {
  const numbers = a !== "" && b !== "" && !isNaN(a) && !isNaN(b);
  return numbers ? Number(a) - Number(b) : compare(a, b);
}
