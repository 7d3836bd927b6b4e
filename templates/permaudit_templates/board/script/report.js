// The report is complete without this script. With it: tables that can be sorted, and candidates that light up together.
"use strict";
(() => {
  const said = (cell) => (cell.querySelector(".word") ?? cell).textContent.trim();
  const value = (row, column) => said(row.cells[column]);
  const number = (text) => Number.parseFloat(text.replace(/[<>()\s]/g, ""));

  const compare = (a, b) => {
    const [x, y] = [number(a), number(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) {
      return Number.isNaN(x) && Number.isNaN(y) ? a.localeCompare(b) : Number.isNaN(x) - Number.isNaN(y);
    }
    return x - y;
  };

  const sort = (table, heading, column) => {
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(value(a, column), value(b, column)) * (up ? 1 : -1));
    body.append(...rows);
  };

  for (const table of document.querySelectorAll(".sortable table")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading, column));
      heading.append(button);
    });
  }

  // Marks in drawings and rows in tables that show the same candidate.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hidden = true;
  });

  const light = (key, on) => {
    for (const one of document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)) {
      one.classList.toggle(one instanceof SVGElement ? "pc-on" : "on", on);
    }
  };

  const told = (key, near) => {
    const table = near.closest("figure")?.querySelector("table");
    const row = table?.querySelector(`tr[data-key="${CSS.escape(key)}"]`);
    if (!row) return "";
    return [...row.cells].map((cell, at) => `${table.tHead.rows[0].cells[at].textContent.trim()}: ${said(cell)}`).join("\n");
  };

  for (const mark of document.querySelectorAll("[data-key]")) {
    const key = mark.dataset.key;
    const isDrawn = mark instanceof SVGElement;
    mark.addEventListener("pointerenter", (event) => {
      light(key, true);
      tip.textContent = isDrawn ? told(key, mark) : "";
      tip.hidden = !tip.textContent;
      tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - 200)}px`;
      tip.style.top = `${event.clientY + 12}px`;
    });
    mark.addEventListener("pointerleave", () => {
      light(key, false);
      tip.hidden = true;
    });
    mark.addEventListener("focusin", () => light(key, true));
    mark.addEventListener("focusout", () => light(key, false));
  }
})();
