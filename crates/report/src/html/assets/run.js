// A run: its steps, the state after each of them, and the rows of the folded list. The last step is the end of the run, which is no row of the data.

const TITLES = { minimized: "minimized run", original: "original run", passing: "closest passing run" };
const SNAPSHOT = 256;

class Run {
  constructor(given) {
    Object.assign(this, given);
    this.title = TITLES[this.kind];
    const text = number => this.texts[number];
    this.steps = given.steps.map(([file, line, column, kind, what, fun, depth, group, relevant, sets, input, at], index) => ({
      index, file: this.files[file], line, column, kind: text(kind), text: text(what), function: text(fun), depth, group, relevant: relevant === 1,
      sets: sets.map(([name, value, global]) => ({ name: text(name), value: text(value), global: global === 1 })), input, at,
    }));
    const last = this.steps[this.steps.length - 1];
    const violated = this.outcome !== "finished";
    this.steps.push({
      index: this.steps.length, file: this.end ? this.end.file : last ? last.file : "", line: this.end ? this.end.line : 0, kind: violated ? "violation" : "finished",
      text: this.reason, function: "", depth: last ? last.depth : 0, group: -1, relevant: true, sets: [], input: -1, at: this.end_at,
    });
    this.groups.forEach((group, index) => { group.index = index; group.folded = false; });
    this.snapshots = [];
    this.executed = new Map();
    for (const step of this.steps) {
      if (!this.executed.has(step.file)) this.executed.set(step.file, new Set());
      this.executed.get(step.file).add(step.line);
    }
    // Rounds of long loops begin folded, but for the last one.
    for (const group of this.groups) if (group.kind === "iteration") {
      const loop = this.groups[group.parent];
      group.folded = loop.count > 4 && group.count !== 1 && group.count !== loop.count;
    }
  }

  get last() { return this.steps.length - 1; }

  // The calls under way with their variables, and what the step itself sets.
  state(index) {
    const start = Math.floor(index / SNAPSHOT);
    let at = Math.min(start, this.snapshots.length - 1);
    let state = at >= 0 ? copy(this.snapshots[at]) : { globals: new Map(), frames: [] };
    for (let next = at < 0 ? 0 : at * SNAPSHOT + 1; next <= index; next++) {
      apply(state, this.steps[next]);
      if (next % SNAPSHOT === 0 && this.snapshots.length === next / SNAPSHOT) this.snapshots.push(copy(state));
    }
    return state;
  }

  // Rows of the list: a step, or the header of a loop or an iteration. A call is headed by its own step.
  rows(onlyRelevant) {
    const rows = [];
    const headed = new Set();
    const trivial = group => group.kind === "loop" ? group.count < 2 : group.kind === "iteration" && this.groups[group.parent].count < 2;
    let path = [], pathOf = -1;
    for (const step of this.steps) {
      if (onlyRelevant && !step.relevant) continue;
      if (step.group !== pathOf) {
        path = [];
        for (let group = step.group; group >= 0; group = this.groups[group].parent ?? -1) path.push(this.groups[group]);
        path.reverse();
        pathOf = step.group;
      }
      let shown = true, level = 0;
      for (const group of path) {
        const own = group.kind === "call" && group.first === step.index;
        if (group.kind !== "call" && !trivial(group)) {
          if (shown && !headed.has(group.index)) rows.push({ group, level });
          headed.add(group.index);
          level++;
        }
        if (own) { if (shown) rows.push({ step, group, level }); shown = false; break; }
        if (group.kind === "call") level++;
        if (group.folded) { shown = false; break; }
      }
      if (shown) rows.push({ step, level });
    }
    return rows;
  }

  // Opens what a step lies in.
  reveal(index) {
    let changed = false;
    for (let group = this.steps[index].group; group >= 0; group = this.groups[group].parent ?? -1) {
      const one = this.groups[group];
      if (one.folded && !(one.kind === "call" && one.first === index)) { one.folded = false; changed = true; }
    }
    return changed;
  }

  nextRelevant(from, direction) {
    for (let index = from + direction; index >= 0 && index <= this.last; index += direction) if (this.steps[index].relevant) return index;
    return from;
  }
}

function copy(state) {
  return { globals: new Map(state.globals), frames: state.frames.map(frame => ({ function: frame.function, line: frame.line, values: new Map(frame.values) })) };
}

function apply(state, step) {
  if (step.kind === "violation" || step.kind === "finished") return;
  if (step.kind === "call") {
    state.frames.length = Math.min(state.frames.length, step.depth);
    while (state.frames.length < step.depth) state.frames.push({ function: "?", values: new Map() });
    state.frames.push({ function: step.function, line: step.line, values: new Map() });
  } else {
    state.frames.length = Math.min(state.frames.length, step.depth + 1);
    while (state.frames.length <= step.depth) state.frames.push({ function: step.function, values: new Map() });
  }
  const own = state.frames[state.frames.length - 1].values;
  for (const { name, value, global } of step.sets) (global ? state.globals : own).set(name, value);
}
