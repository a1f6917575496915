// The panes that follow the current step: values and call stack, inputs, cycles.

// Of deep recursion, only so many innermost and outermost calls are shown.
const MOST_CALLS = 12;

function valuesTab(view) {
  const { run, step } = view;
  if (!run) return [element("p.faint", null, "There is no run to follow.")];
  const state = run.state(step.index);
  const changed = new Set(step.sets.map(set => `${set.global ? "g" : state.frames.length - 1}:${set.name}`));
  const table = (values, scope) => values.size === 0 ? element("p.faint", null, "no values yet") :
    element("table", null, [...values].map(([name, value]) => element(changed.has(`${scope}:${name}`) ? "tr.changed" : "tr", null, element("td.mono", null, name), element("td.value", null, value))));
  const far = index => index >= MOST_CALLS && index < state.frames.length - MOST_CALLS;
  const frames = state.frames.map((frame, index) => far(index) ? null : [
    element("div.frame", null, `${frame.function}()`, frame.line ? element("span.faint", null, ` called at line ${frame.line}`) : null, index === state.frames.length - 1 ? " ← here" : null),
    table(frame.values, String(index)),
  ]).reverse();
  const inner = frames.length > 2 * MOST_CALLS ? [frames.slice(0, MOST_CALLS), element("p.faint", null, `… ${plural(frames.length - 2 * MOST_CALLS, "more call")} …`), frames.slice(-MOST_CALLS)] : frames;
  return [
    element("p", null, element("b.mono", null, step.text)),
    element("p.faint", null, step.line ? `${step.file}:${step.line}` : null, step.relevant || !run.sliced ? null : " · no step that matters uses it"),
    step.kind === "violation" && view.violation.detail ? element("p", null, view.violation.detail) : null,
    element("h3", null, "Calls and values"), inner,
    state.globals.size ? [element("div.frame", null, "global variables"), table(state.globals, "g")] : null,
    run.stdout ? [element("h3", null, "Output of the program"), element("pre", null, run.stdout)] : null,
  ];
}

function inputNote(input) {
  if (input.dont_care === true) return "any value";
  if (input.range && input.range[0] !== input.range[1]) return `${input.range[0]} … ${input.range[1]}`;
  if (input.range) return "only this value";
  return "";
}

function inputsTab(view) {
  const { run } = view;
  if (!run) return [];
  const known = run.inputs.some(input => input.dont_care !== null || input.range);
  const row = (input, index) => {
    const name = input.name || (input.function ? `${input.function}()` : `input ${index + 1}`);
    const step = run.steps.find(one => one.input === index);
    // Another value may lead along another path, of which nothing is said here.
    const unused = run.sliced && step !== undefined && !step.relevant && input.dont_care !== true;
    return element(input.dont_care === true || unused ? "tr.any" : "tr", null, element("td.mono", null, step ? element("a", { href: "#", onclick: event => { event.preventDefault(); view.go(step.index); } }, name) : name),
      element("td.value.narrow", null, input.value), element("td.narrow", null, unused ? "not used" : inputNote(input)), element("td.faint.narrow", null, input.line || ""));
  };
  return [
    run.arguments.length ? element("p", null, "command line: ", element("span.mono", null, run.arguments.join(" "))) : null,
    run.inputs.length === 0 ? element("p.faint", null, "The run asks for no input.") : [
      element("p", null, known ? "The run fails in the same way for every value within the interval, the other inputs being as they are. Grey: any value, or not used by the steps that matter." : "The inputs in the order in which the program asks for them."),
      element("table", null, element("tr", null, ["input", "value", known ? "fails for" : "", "line"].map(text => element("th.narrow", null, text))), run.inputs.slice(0, 500).map(row)),
      run.inputs.length > 500 ? element("p.faint", null, `and ${run.inputs.length - 500} more`) : null,
      element("h3", null, "To run it again"), element("pre", null, `whydunit replay ${data.name} --inputs=${run.inputs_line}`),
    ],
  ];
}

// A timing diagram: a column for each cycle.
function cyclesTab(view, side) {
  const { run, step } = view, rows = run.cycles, starts = rows[0].starts;
  const left = 130, high = 30, wide = Math.max(40, Math.min(110, (side.clientWidth - left - 40) / starts.length)), width = left + wide * starts.length + 12;
  const now = starts.filter(start => start <= step.index).length - 1;
  const parts = [];
  starts.forEach((start, cycle) => parts.push(
    svg("rect", { class: `cycle${cycle === now ? " here" : ""}`, x: left + cycle * wide, y: 0, width: wide, height: high * rows.length + 52, onclick: () => view.go(start) }),
    svg("text", { x: left + cycle * wide + wide / 2, y: 14, "text-anchor": "middle" }, cycle + 1)));
  let y = 24, role = "";
  for (const row of rows) {
    if (row.role !== role) { role = row.role; parts.push(svg("line", { class: "rule", x1: 0, x2: width, y1: y - 2, y2: y - 2 })); }
    const label = { input: "in ", output: "out ", other: "" }[row.role];
    parts.push(svg("text", { x: 4, y: y + 18 }, `${label}${row.name}`.slice(0, 19), svg("title", null, row.name)));
    const known = row.values.filter(value => value !== null);
    if (known.length && known.every(value => /^(true|false|0|1)$/i.test(value))) {
      let path = "", last = null;
      row.values.forEach((value, cycle) => {
        if (value === null) return;
        const level = /^(true|1)$/i.test(value) ? y + 5 : y + high - 9, x = left + cycle * wide;
        path += `${last === null ? "M" : "L"}${x} ${level}L${x + wide} ${level}`;
        last = level;
      });
      parts.push(svg("path", { class: `wave ${row.role}`, d: path }));
    } else {
      for (let cycle = 0; cycle < row.values.length;) {
        let end = cycle + 1;
        while (end < row.values.length && row.values[end] === row.values[cycle]) end++;
        if (row.values[cycle] !== null) {
          const x = left + cycle * wide, w = (end - cycle) * wide;
          parts.push(svg("path", { class: `band ${row.role}`, d: `M${x} ${y + 12}l5 -8h${w - 10}l5 8l-5 8h${10 - w}z` }),
            svg("text", { x: x + w / 2, y: y + 16, "text-anchor": "middle" }, row.values[cycle].slice(0, Math.max(3, Math.floor(w / 7)))));
        }
        cycle = end;
      }
    }
    y += high;
  }
  return [element("p.faint", null, "The values at the end of each cycle; a click on a column leads to the beginning of the cycle."), svg("svg", { class: "cycles", width, height: y + 8, role: "img", "aria-label": "timing diagram" }, parts)];
}
