// The answers: suspects, repairs, causes, differences, error invariants; for a proof, what it rests on.

function whyTab(view) {
  const suspects = data.suspects, most = Math.max(...suspects.map(one => one.score), 1e-9);
  const parts = [];
  if (data.sentences.length) parts.push(element("h3", null, "Why it fails"), data.sentences.map(text => element("p", null, prose(text))));
  if (data.repairs.length) {
    parts.push(element("h3", null, "Repairs that were checked"), data.repairs.map(one => element("div.card", null,
      element("p", null, element("a", { href: "#", onclick: event => { event.preventDefault(); view.showLine(one.file, one.line); } }, `line ${one.line}`), ": ", prose(one.sentence)), diff(one.diff))));
  }
  if (suspects.length) {
    parts.push(element("h3", null, "Lines to suspect"), suspects.slice(0, 20).map(one => element("button.card.link", { type: "button", onclick: () => view.showLine(one.file, one.line) },
      element("span.head", null, element("b", null, `${one.rank}. line ${one.line}`), element("span.meter", { "--part": `${Math.round(100 * one.score / most)}%`, title: `score ${one.score.toFixed(2)}` }), element("span.faint", null, one.function)),
      element("span.mono", null, lineText(one.file, one.line)), element("br"), element("span.faint", null, prose(one.reason)))));
    if (suspects.length > 20) parts.push(element("p.faint", null, `and ${suspects.length - 20} more, in localize.json`));
  }
  if (data.causes.length) parts.push(element("h3", null, "What the failure depends on"), element("ul.facts", null, data.causes.slice(0, 20).map(one => element("li", null, one.predicate, one.necessary ? element("span.faint", null, "  no run within the bound fails without it") : null))));
  if (data.changes.length) {
    parts.push(element("h3", null, "Different in the closest passing run"), element("table", null,
      element("tr", null, ["", "here", "there", "line"].map(text => element("th", null, text))),
      data.changes.slice(0, 60).map(one => element(one.relevant ? "tr" : "tr.any", null, element("td.mono", null, one.name), element("td.value", null, one.failing), element("td.value", null, one.passing), element("td.faint", null, one.line || "")))));
  }
  for (const { title, items } of data.traces) {
    let last = "";
    const shown = items.filter(item => item.kind !== "invariant" || (item.text !== last && (last = item.text)));
    parts.push(element("h3", null, `Error invariants (${title})`), element("p.faint", null, "Between the statements: what must be known of the run there so that it fails."),
      element("ul.facts", null, shown.slice(0, 120).map(item => element(`li.${item.kind}`, null, item.kind === "invariant" ? "⊢ " : null, item.line ? `${item.line}: ` : null, item.text))));
  }
  if (!parts.length) parts.push(element("p", null, "This command does not say why. ", element("span.mono", null, `whydunit report ${data.name}`), " also minimizes, explains and localizes."));
  return parts;
}

// What stands between backticks is code.
function prose(text) {
  return text.split("`").map((part, index) => index % 2 ? element("code", null, part) : part);
}

// A diff of a line or two. Of a long line, what is the same before the change is cut, so that the change can be seen.
function diff(text) {
  const lines = text.split("\n").filter(line => line && !/^(---|\+\+\+|@@)/.test(line));
  const before = lines.filter(line => line[0] === "-"), after = lines.filter(line => line[0] === "+");
  const part = (line, other) => {
    if (!other) return [line];
    let start = 1, end = 0;
    while (start < line.length && line[start] === other[start]) start++;
    while (end < line.length - start && end < other.length - start && line[line.length - 1 - end] === other[other.length - 1 - end]) end++;
    const begin = start > 44 ? start - 24 : 1;
    return [line[0], begin > 1 ? " … " : "", line.slice(begin, start), element("b", null, line.slice(start, line.length - end)), line.slice(line.length - end)];
  };
  return element("pre", null, before.map((line, index) => element("span.del", null, part(line, after[index]))), after.map((line, index) => element("span.add", null, part(line, before[index]))));
}

function lineText(file, line) {
  const source = data.sources.find(one => one.name === file);
  const text = source && (source.text !== null ? source.text.split("\n")[line - 1] : source.lines[line]);
  return (text || "").trim();
}

// What is known about the whole program: how it was decided, what a proof rests on, single checks.
function answerTab(view) {
  const place = one => element("a", { href: "#", onclick: event => { event.preventDefault(); view.showLine(one.file, one.line); } }, `${baseName(one.file)}:${one.line}`);
  const list = (title, items) => items.length ? [element("h3", null, title), items] : null;
  return [
    element("p", null, data.reason),
    data.property ? element("p.faint", null, `checked: ${data.property}`) : null,
    data.how ? element("p.faint", null, data.how) : null,
    data.place && data.place.line ? element("p", null, "See ", place(data.place)) : null,
    list("Violations", data.violations.length > 1 ? data.violations.map((one, index) => element("p", null, element("a", { href: "#", onclick: event => { event.preventDefault(); byId("violations").value = index; view.openViolation(index); } }, `${baseName(one.place.file)}:${one.place.line}`), ` ${one.message} (${one.property})`)) : []),
    list("Invariants", data.invariants.map(one => element("p", null, one.place.line ? place(one.place) : null, " ", element("span.mono", null, one.expression), one.result ? element("span.faint", null, ` — ${one.result}`) : null))),
    list("Contracts", data.contracts.map(one => element("div.card", null, element("b", null, one.function), " ", place(one), one.requires.map(text => element("p.mono", null, `requires ${text}`)), one.ensures.map(text => element("p.mono", null, `ensures ${text}`))))),
    list("Checks", data.checks.length ? [element("table", null, data.checks.map(one => element("tr", null, element("td", null, place(one)), element("td", null, one.property), element("td", null, one.verdict, one.bound ? ` (bound ${one.bound})` : null))))] : []),
    list("Assumed", data.assumptions.map(text => element("p", null, prose(text)))),
    list("Notes", data.notes.map(text => element("p", null, prose(text)))),
    element("h3", null, "Downloads"), data.downloads.map(download),
    element("p.faint", null, `${data.tool}, command ${data.command}`),
  ];
}

function download(one) {
  const link = element("a", { href: "#", download: one.name }, one.name);
  link.href = URL.createObjectURL(new Blob([one.text], { type: "text/plain" }));
  return element("p", null, link, element("span.faint", null, ` ${one.about}`));
}
