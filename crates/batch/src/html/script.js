// Filters and sorts the table of tasks; the filters are kept in the address, so that a view can be sent.
const body = document.querySelector("#tasks tbody");
const rows = Array.from(body.rows);
const inputs = Array.from(document.querySelectorAll("[data-filter]"));
function filter() {
  const wanted = Object.fromEntries(inputs.map((input) => [input.dataset.filter, input.value]));
  let shown = 0;
  for (const row of rows) {
    const fits = Object.entries(wanted).every(([name, value]) =>
      value === "" || (name === "name" ? row.dataset.name.includes(value) : row.dataset[name] === value));
    row.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  document.querySelector("#count").textContent = shown + " of " + rows.length + " tasks";
  const kept = Object.entries(wanted).filter(([, value]) => value !== "");
  history.replaceState(null, "", kept.length ? "#" + new URLSearchParams(kept) : location.pathname + location.search);
}
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  const input = inputs.find((input) => input.dataset.filter === name);
  if (input) input.value = value;
}
inputs.forEach((input) => input.addEventListener("input", filter));
document.querySelectorAll("#tasks th").forEach((head, column) => head.addEventListener("click", () => {
  const down = head.getAttribute("aria-sort") === "ascending";
  document.querySelectorAll("#tasks th").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const text = (row) => row.cells[column].firstChild ? row.cells[column].firstChild.textContent : "";
  const number = (row) => parseFloat(text(row));
  const numeric = column >= 5 && column <= 7;
  rows.sort((a, b) => (numeric ? number(a) - number(b) : text(a).localeCompare(text(b))) * (down ? -1 : 1));
  rows.forEach((row) => body.append(row));
}));
filter();
