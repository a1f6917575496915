// The source: executed lines, suspects as a heat map, invariants at their lines.

const WORDS = /(\/\/.*|\/\*.*?(?:\*\/|$)|\(\*.*?(?:\*\)|$))|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(if|else|while|for|do|return|switch|case|break|continue|goto|int|unsigned|signed|char|short|long|float|double|void|struct|union|enum|static|const|extern|sizeof|typedef|default|_Bool|IF|THEN|ELSE|ELSIF|END_IF|END_VAR|VAR|VAR_INPUT|VAR_OUTPUT|FUNCTION_BLOCK|END_FUNCTION_BLOCK|PROGRAM|END_PROGRAM|AND|OR|NOT|XOR|FOR|TO|END_FOR|WHILE|END_WHILE|CASE|OF|END_CASE|BOOL|INT|TIME|TRUE|FALSE)\b/g;

function coloured(text) {
  if (text.length > LONGEST) return [text];
  const parts = [];
  let done = 0;
  for (const found of text.matchAll(WORDS)) {
    parts.push(text.slice(done, found.index), element(found[1] ? "span.comment" : found[2] ? "span.text" : "span.keyword", null, found[0]));
    done = found.index + found[0].length;
  }
  parts.push(text.slice(done));
  return parts;
}

class SourcePane {
  constructor(onLine) {
    this.onLine = onLine;
    this.list = new List(byId("source"), index => this.row(index));
    this.file = null;
    this.notes = new Map();
    this.heat = new Map();
    const most = Math.max(...data.suspects.map(one => one.score), 1e-9);
    for (const one of data.suspects) this.heat.set(`${one.file}:${one.line}`, { part: one.score / most, rank: one.rank, reason: one.reason });
    for (const one of data.invariants) this.note(one.place.file, one.place.line, `invariant  ${one.expression}${one.result ? `  (${one.result})` : ""}`, "");
    for (const one of data.contracts) {
      one.requires.forEach(text => this.note(one.file, one.line, `requires  ${text}`, ""));
      one.ensures.forEach(text => this.note(one.file, one.line, `ensures  ${text}`, ""));
    }
    // More facts at one line are of different rounds; the tab has them all.
    for (const [line, facts] of errorInvariants()) {
      facts.slice(0, 2).forEach(fact => this.note(fact.file, line, `fails if  ${fact.text}`, "fact"));
      if (facts.length > 2) this.note(facts[0].file, line, `and ${facts.length - 2} more in other rounds (tab Why)`, "fact");
    }
    replace(byId("files"), data.sources.length > 1 && data.sources.map(one => element("button", { type: "button", role: "tab", title: one.name, onclick: () => this.open(one.name) }, baseName(one.name))));
  }

  note(file, line, text, kind) {
    const key = `${file}:${line}`;
    if (!this.notes.has(key)) this.notes.set(key, []);
    this.notes.get(key).push({ text, kind });
  }

  open(name) {
    if (this.file && this.file.name === name) return;
    const found = data.sources.find(one => one.name === name) || data.sources[0];
    if (!found || this.file === found) return;
    this.file = found;
    [...byId("files").children].forEach((tab, index) => tab.setAttribute("aria-selected", data.sources[index] === found));
    const lines = found.text !== null ? found.text.split("\n").map((text, index) => [index + 1, text]) : Object.entries(found.lines).map(([line, text]) => [Number(line), text]);
    if (lines.length > 1 && lines[lines.length - 1][1] === "") lines.pop();
    this.rows = [];
    this.places = new Map();
    for (const [line, text] of lines) {
      for (const note of this.notes.get(`${found.name}:${line}`) || []) this.rows.push({ note, line, indent: text.match(/^\s*/)[0].slice(0, 60) });
      this.places.set(line, this.rows.length);
      this.rows.push({ line, text: text.replace(/\r$/, "") });
    }
    this.list.setCount(this.rows.length);
  }

  show(step, run) {
    this.step = step;
    this.run = run;
    if (step && step.line) this.open(step.file);
    const place = step && this.file && step.file === this.file.name ? this.places.get(step.line) : undefined;
    if (place !== undefined) this.list.show(place);
    else this.list.draw(true);
  }

  row(index) {
    const { line, text, note, indent } = this.rows[index];
    if (note) return element(`div.row.note${note.kind ? "." + note.kind : ""}`, { title: note.text }, element("span.number", null, "⊢"), element("span", null, indent.replace(/\t/g, "        "), note.text));
    const classes = ["row"], name = this.file.name;
    const executed = this.run && this.run.executed.get(name);
    if (executed && executed.has(line)) classes.push("executed");
    const end = this.run && this.run.end;
    if (end && end.file === name && end.line === line && this.run.kind !== "passing") classes.push("end");
    const heat = this.heat.get(`${name}:${line}`);
    if (heat) classes.push("heat");
    if (this.step && this.step.file === name && this.step.line === line) classes.push("here");
    return element(`div.${classes.join(".")}`, { "--heat": heat ? (0.06 + 0.3 * heat.part).toFixed(3) : undefined, title: heat ? `suspect ${heat.rank}: ${heat.reason}` : undefined, ondblclick: () => this.onLine(name, line) },
      heat ? element("span.rank", { title: `suspect ${heat.rank}: ${heat.reason}` }, heat.rank) : null, element("span.number", null, line), element("span", null, coloured(text.replace(/\t/g, "        "))));
  }
}

// Facts that hold before a line in the failing run, each where it first holds, by line.
function errorInvariants() {
  const found = new Map(), known = new Set();
  for (const { items } of data.traces.slice(0, 1)) {
    let waiting = [];
    for (const item of items) {
      if (item.kind === "invariant") waiting.push(item.text);
      else if (item.line) {
        for (const text of waiting) {
          const key = `${item.line}:${text}`;
          if (text === "true" || known.has(key)) continue;
          known.add(key);
          if (!found.has(item.line)) found.set(item.line, []);
          found.get(item.line).push({ text, file: item.file });
        }
        waiting = [];
      }
    }
  }
  return found;
}
