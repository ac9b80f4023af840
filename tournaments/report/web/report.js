"use strict";
// Without this script the page lacks only the sorting of tables by a click on a head.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = row => row.cells[column].dataset.key ?? row.cells[column].textContent;
      const order = new Intl.Collator(undefined, { numeric: true }).compare;
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        const numbers = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
        return numbers ? Number(x) - Number(y) : order(x, y);
      };
      const body = table.tBodies[0];
      const rows = [...body.rows].sort(compare);
      body.append(...(up ? rows : rows.reverse()));
    });
  });
}
