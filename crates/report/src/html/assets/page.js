// Puts the page together: which run and step are shown, tabs, keys, theme, print.

const view = {
  violation: null, run: null, runs: [], step: null, tab: null, compare: null, onlyRelevant: false, rows: [],

  openViolation(index) {
    this.violation = data.violations[index] || null;
    this.runs = this.violation ? (this.violation.made ||= this.violation.runs.map(run => new Run(run))) : [];
    this.compare = null;
    this.run = this.runs[0] || null;
    if (this.run && this.run.kind === "original") this.run.title = data.witness ? "run of the witness" : "failing run";
    headline();
    runButtons();
    this.openRun(this.run);
  },

  openRun(run, other = null) {
    [this.run, this.compare] = [run, other];
    this.pairs = other ? aligned(run, other) : null;
    byId("panes").classList.toggle("wide", Boolean(other));
    byId("steps").classList.toggle("compare", Boolean(other));
    byId("panes").classList.toggle("proof", !run);
    byId("stepper").hidden = !run;
    runButtons();
    tabButtons();
    if (!run) { source.open(data.place && data.place.file || (data.sources[0] || {}).name); return this.refreshSide(); }
    byId("slider").max = run.last;
    const differences = other ? this.pairs.filter(pair => pairKind(pair) !== "same").length : 0;
    replace(byId("run-title"), other ? [run.title, " and ", other.title, element("small", null, plural(differences, "difference"))] :
      [run.title[0].toUpperCase() + run.title.slice(1), element("small", null, plural(run.steps.length - 1, "step"), run.skipped ? `, ${run.skipped.toLocaleString("en")} left out` : "", run.sliced ? `, ${run.steps.filter(step => step.relevant).length - 1} relevant` : "")]);
    this.refold();
    this.go(run.last);
  },

  refold() {
    this.rows = this.compare ? this.pairs : this.run.rows(this.onlyRelevant);
    this.rowOf = new Map();
    this.rows.forEach((row, index) => {
      const step = this.compare ? row[0] : row.step;
      if (step) this.rowOf.set(step.index, index);
    });
    steps.setCount(this.rows.length);
  },

  go(index) {
    if (!this.run) return;
    index = Math.max(0, Math.min(this.run.last, index));
    this.step = this.run.steps[index];
    if (!this.compare && this.run.reveal(index)) this.refold();
    byId("slider").value = index;
    byId("slider").setAttribute("aria-valuetext", visible(this.step.text));
    replace(byId("position"), `step ${(index + 1).toLocaleString("en")} of ${this.run.steps.length.toLocaleString("en")}`);
    const row = this.rowOf.get(index);
    if (row !== undefined) steps.show(row); else steps.draw(true);
    source.show(this.step, this.run);
    this.refreshSide();
  },

  refreshSide(options) {
    const side = byId("side"), tab = tabs().find(one => one.name === this.tab) || tabs()[0];
    if (this.shownTab !== tab.name) side.scrollTop = 0;
    this.shownTab = tab.name;
    byId("panes").classList.toggle("drawing", Boolean(tab.wide));
    // A tab that does not follow the step stays as it is.
    if (!tab.follows && side.firstChild && side.dataset.tab === tab.name && this.sideOf === this.run) return;
    const step = this.step;
    if (options && options.keepFunction) this.step = null;
    const parts = tab.make(this, side);
    this.step = step;
    [side.dataset.tab, this.sideOf] = [tab.name, this.run];
    replace(side, parts);
  },

  openTab(name) {
    this.tab = name;
    byId("side").dataset.tab = "";
    tabButtons();
    this.refreshSide();
  },

  // To the next step at a line, if there is one; else only the line is shown.
  showLine(file, line) {
    const at = this.run ? this.run.steps.find(step => step.file === file && step.line === line) : null;
    if (at) return this.go(at.index);
    source.show({ file, line, index: -1, text: "" }, this.run);
  },
};

function tabs() {
  const { run } = view;
  return [
    run && { name: "Values", make: valuesTab, follows: true },
    (data.suspects.length || data.causes.length || data.sentences.length || data.violations.length) && { name: "Why", make: whyTab },
    run && { name: "Inputs", make: inputsTab },
    run && run.cycles && { name: "Cycles", make: cyclesTab, follows: true, wide: true },
    data.functions.length && { name: "Flow", make: flowTab, follows: true, wide: true },
    data.witness && { name: "Witness", make: witnessTab, follows: true, wide: true },
    { name: data.violations.length ? "More" : "Answer", make: answerTab },
  ].filter(Boolean).sort((a, b) => data.violations.length ? 0 : (b.name === "Answer") - (a.name === "Answer"));
}

function tabButtons() {
  const all = tabs();
  if (!all.some(one => one.name === view.tab)) view.tab = all[0].name;
  replace(byId("tabs"), all.map((one, index) => element("button", { type: "button", role: "tab", "aria-selected": String(one.name === view.tab), title: `${one.name} (${index + 1})`, onclick: () => view.openTab(one.name) }, one.name)));
}

function runButtons() {
  const focus = byId("runs").contains(document.activeElement) ? [...byId("runs").children].indexOf(document.activeElement) : -1;
  const choices = view.runs.map(run => ({ title: run.kind, run, other: null }));
  for (const other of view.runs.slice(1)) choices.push({ title: `⇄ ${other.kind}`, run: view.runs[0], other });
  view.choices = choices;
  byId("runs").hidden = choices.length < 2;
  replace(byId("runs"), choices.map(one => element("button", { type: "button", role: "radio", "aria-checked": String(one.run === view.run && one.other === view.compare), title: one.other ? `${one.run.title} and ${one.other.title} side by side, differences marked (r)` : `${one.run.title} (r)`, onclick: () => view.openRun(one.run, one.other) }, one.title)));
  if (focus >= 0 && byId("runs").children[focus]) byId("runs").children[focus].focus();
}

function headline() {
  const { violation } = view, [title, text] = [byId("headline").children[0], byId("headline").children[1]];
  const look = { true: "good", confirmed: "good", false: "bad", rejected: "bad" }[data.verdict] || "warn";
  byId("verdict").className = `badge ${look}`;
  replace(byId("verdict"), { true: "holds", false: "violated" }[data.verdict] || data.verdict);
  if (violation) {
    replace(title, `${violation.message} (${violation.property})`);
    replace(text, `${violation.place.file}:${violation.place.line}`, violation.detail ? ` · ${violation.detail}` : "", data.verdict === "confirmed" || data.verdict === "rejected" ? ` · ${data.reason}` : "");
  } else {
    replace(title, data.verdict === "true" ? `${data.property || "The property"}: holds` : data.reason || data.verdict);
    replace(text, `${data.name} · ${data.verdict === "true" ? data.reason || "" : data.property || data.how || ""}`);
  }
  for (const one of [title, text]) one.title = one.textContent;
}

function stepRow(index) {
  if (view.compare) return pairRow(view.rows[index], view.step.index, to => view.go(to));
  const { step, group, level } = view.rows[index];
  const indent = `${Math.min(level, 12) * 14}px`;
  const twist = group ? element("span.twist", { "--indent": indent, title: "fold or unfold (Enter)", onclick: event => { event.stopPropagation(); toggle(group); } }, group.folded ? "▸" : "▾") : element("span.twist", { "--indent": indent });
  if (!step) {
    const many = group.end - group.first;
    const text = group.kind === "loop" ? `loop${group.line ? ` at line ${group.line}` : ""}: ${plural(group.count, "round")}` : `round ${group.count}`;
    return element("div.row.step.group", { onclick: () => toggle(group) }, element("span.at", null, ""), twist, element("span.what", null, text, group.folded ? `  (${plural(many, "step")})` : ""));
  }
  const input = step.input >= 0 ? view.run.inputs[step.input] : null;
  const classes = ["row", "step", step.kind];
  if (view.run.sliced && !step.relevant) classes.push("dim");
  if (input && input.dont_care === true) classes.push("any");
  if (view.step === step) classes.push("current");
  const note = input ? inputNote(input) : step.kind === "call" && step.sets.length ? step.sets.map(set => `${set.name} = ${set.value}`).join(", ") : "";
  return element(`div.${classes.join(".")}`, { title: step.text, "data-step": step.index, onclick: () => view.go(step.index) }, element("span.at", null, step.line || ""), twist,
    element("span.what", null, step.text), note && element("span.why", null, input ? `input, ${note}` : note), group && group.folded && element("span.why", null, `(${plural(group.end - group.first - 1, "step")})`));
}

function toggle(group) {
  group.folded = !group.folded;
  view.refold();
}

function foldAll() {
  const folded = view.run.groups.some(group => !group.folded);
  view.run.groups.forEach(group => { group.folded = folded; });
  view.refold();
  if (!folded) view.go(view.step.index);
}

function setTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
}

const KEYS = [
  ["j ↓", "next step", () => view.go(view.step.index + 1)],
  ["k ↑", "step before", () => view.go(view.step.index - 1)],
  ["n", "next relevant step", () => view.go(view.run.nextRelevant(view.step.index, 1))],
  ["p", "relevant step before", () => view.go(view.run.nextRelevant(view.step.index, -1))],
  ["Home", "first step", () => view.go(0)],
  ["End", "the end of the run", () => view.go(view.run.last)],
  ["PageDown", "20 steps on", () => view.go(view.step.index + 20)],
  ["PageUp", "20 steps back", () => view.go(view.step.index - 20)],
  ["o", "only relevant steps", () => { view.onlyRelevant = byId("only-relevant").checked = !view.onlyRelevant; view.refold(); view.go(view.step.index); }],
  ["f", "fold or unfold all calls and loops", foldAll],
  ["Enter", "fold or unfold what the step is in", () => { const step = view.step, own = view.run.groups.find(group => group.kind === "call" && group.first === step.index) || view.run.groups[step.group]; if (own) toggle(own); }],
  ["r", "next run, or runs side by side", () => { const now = view.choices.findIndex(one => one.run === view.run && one.other === view.compare), next = view.choices[(now + 1) % view.choices.length]; view.openRun(next.run, next.other); }],
  ["t", "light or dark", setTheme],
  ["?", "this list", () => byId("help").showModal()],
];

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const target = event.target, name = event.key.replace("Arrow", "").replace("Down", "↓").replace("Up", "↑").replace("Page↓", "PageDown").replace("Page↑", "PageUp");
  if (target.tagName === "SELECT") return;
  if (["Enter", " "].includes(event.key) && target.closest("button, a, input")) return;
  if (target.id === "slider" && event.key.startsWith("Arrow") || target.id === "slider" && ["Home", "End"].includes(event.key)) return;
  if (/^[1-9]$/.test(event.key)) {
    const tab = tabs()[Number(event.key) - 1];
    if (tab) view.openTab(tab.name);
    return;
  }
  const found = KEYS.find(([keys]) => keys.split(" ").includes(name));
  // The keys of lists that can be scrolled by themselves stay theirs where there is no run.
  if (!found || (!view.run && !"t?".includes(name))) return;
  event.preventDefault();
  found[2]();
}

function printable() {
  const { violation, run } = view, parts = [];
  if (run) {
    const shown = run.steps.filter(step => step.relevant);
    parts.push(element("h2", null, "Inputs"), element("table", null, run.inputs.slice(0, 100).map(input => element("tr", null, element("td", null, input.name || input.function || ""), element("td", null, input.value), element("td", null, inputNote(input))))),
      element("h2", null, run.sliced ? "Relevant steps" : "Steps"), element("table", null, shown.slice(0, 400).map(step => element("tr", null, element("td", null, step.line || ""), element("td.mono", null, "  ".repeat(Math.min(step.depth, 8)), step.text)))));
  }
  if (violation) parts.push(whyTab(view));
  replace(byId("print"), parts, answerTab(view));
}

const source = new SourcePane((file, line) => view.showLine(file, line));
const steps = new List(byId("steps"), stepRow);
byId("slider").addEventListener("input", event => view.go(Number(event.target.value)));
for (const [id, key] of [["first", "Home"], ["before", "k ↑"], ["after", "j ↓"], ["last", "End"], ["relevant-before", "p"], ["relevant-after", "n"], ["fold", "f"]]) byId(id).onclick = KEYS.find(one => one[0] === key)[2];
byId("only-relevant").onchange = event => { view.onlyRelevant = event.target.checked; view.refold(); view.go(view.step.index); };
byId("theme").onclick = setTheme;
byId("help-button").onclick = () => byId("help").showModal();
replace(byId("help"), element("h2", null, element("b", null, "Keys")), element("table", null, KEYS.map(([keys, about]) => element("tr", null, element("td", null, keys.split(" ").map(key => [element("kbd", null, key), " "])), element("td", null, about))),
  element("tr", null, element("td", null, element("kbd", null, "1"), "–", element("kbd", null, "6")), element("td", null, "the tabs on the right")), element("tr", null, element("td", null, element("kbd", null, "Tab")), element("td", null, "from one part to the next"))),
  element("p", null, element("button", { type: "button", onclick: () => byId("help").close() }, "close")));
if (data.violations.length > 1) {
  byId("violations").hidden = false;
  replace(byId("violations"), data.violations.map((one, index) => element("option", { value: index }, `${index + 1} of ${data.violations.length}: ${baseName(one.place.file)}:${one.place.line} ${one.property}`)));
  byId("violations").onchange = event => view.openViolation(Number(event.target.value));
}
addEventListener("keydown", onKey);
addEventListener("beforeprint", printable);
addEventListener("afterprint", () => replace(byId("print")));
view.tab = data.suspects.length || data.sentences.length ? "Why" : null;
view.openViolation(0);
