// Drawings: the control flow of functions and the witness, placed already; here they become SVG.

const drawn = new Map();

function drawing(given, run, pick) {
  const boxes = given.boxes.map((box, index) => {
    const rows = box.rows.map((row, number) => {
      const y = box.y + 7 + number * 17;
      return [svg("rect", { class: "back", x: box.x + 1, y, width: box.width - 2, height: 17, fill: "transparent" }),
        svg("text", { x: box.x + 7, y: y + 12.5, "xml:space": "preserve" }, row.line ? `${row.line} ${row.text}` : row.text)];
    });
    const made = svg("g", { onclick: () => box.rows.some(row => row.line) && pick(box.rows.find(row => row.line)) },
      svg("rect", { class: `box ${box.mark}`, x: box.x, y: box.y, width: box.width, height: box.height, rx: box.mark === "entry" || box.mark === "exit" ? 11 : 4 }), rows);
    return { made, frame: made.firstChild, backs: rows.map(row => row[0]), index };
  });
  const arrows = given.arrows.map(arrow => {
    const [x, y] = arrow.points[arrow.points.length - 1], [bx, by] = arrow.points[arrow.points.length - 2];
    const sideways = Math.abs(y - by) < 1;
    const tip = sideways ? `M${x} ${y}l${x < bx ? 7 : -7} -4v8z` : `M${x} ${y}l-4 -7h8z`;
    const path = svg("path", { class: "arrow", d: sideways ? `M${arrow.points.map(point => point.join(" ")).join("L")}` : smooth(arrow.points) });
    const [lx, ly] = sideways ? arrow.points[1] : arrow.points[0];
    const [nx, ny] = arrow.points[1];
    const label = svg("text", { class: "label", x: sideways ? lx + 3 : lx + (nx - lx) * 0.35 + 4, y: sideways ? (ly + arrow.points[2][1]) / 2 : ly + Math.min(26, (ny - ly) * 0.5) }, arrow.label.slice(0, 64), svg("title", null, arrow.label));
    return { path, label, arrow, made: [path, svg("path", { class: "tip", d: tip }), label] };
  });
  const extra = Math.max(0, ...given.arrows.map(arrow => arrow.label.length)) > 12 ? 320 : 30;
  const image = svg("svg", { width: given.width + extra, height: given.height, role: "img", "aria-label": given.title }, arrows.map(one => one.made), boxes.map(one => one.made));
  return { image, boxes, arrows, width: given.width + extra, height: given.height, scale: 1 };
}

// As wide as there is space, as long as it can be read.
function fit(made, side) {
  made.scale = Math.max(0.68, Math.min(1, (side.clientWidth - 26) / made.width));
  made.image.setAttribute("viewBox", `0 0 ${made.width} ${made.height}`);
  made.image.setAttribute("width", made.width * made.scale);
  made.image.setAttribute("height", made.height * made.scale);
}

function smooth(points) {
  let path = `M${points[0].join(" ")}`;
  for (let index = 1; index < points.length; index++) {
    const [x, y] = points[index - 1], [tx, ty] = points[index], middle = (y + ty) / 2;
    path += `C${x} ${middle} ${tx} ${middle} ${tx} ${ty}`;
  }
  return path;
}

function flowTab(view, side) {
  const { step, run } = view;
  const wanted = step && step.at ? step.at[0] : view.functionShown || 0;
  view.functionShown = wanted;
  const found = data.functions[wanted];
  if (!found) return [element("p.faint", null, "There is nothing to draw.")];
  const choose = element("select", { "aria-label": "function", onchange: event => { view.functionShown = Number(event.target.value); view.refreshSide({ keepFunction: true }); } },
    data.functions.map((one, index) => element("option", { value: index, selected: index === wanted }, one.function)));
  if (!found.drawing) return [choose, element("p.faint", null, "This function is too large to be drawn.")];
  const key = `f${wanted}`;
  if (!drawn.has(key)) drawn.set(key, drawing(found.drawing, run, row => view.showLine(row.file, row.line)));
  const made = drawn.get(key);
  fit(made, side);
  const visited = new Set();
  if (run) for (const one of run.steps) if (one.at && one.at[0] === wanted) visited.add(one.at[1]);
  made.boxes.forEach((box, index) => {
    const here = step && step.at && step.at[0] === wanted && step.at[1] === index;
    box.frame.classList.toggle("executed", visited.has(index));
    box.frame.classList.toggle("here", Boolean(here));
    box.backs.forEach((back, row) => {
      back.classList.toggle("lit", Boolean(here && step.at[2] === row));
      back.classList.toggle("end", Boolean(here && step.kind === "violation"));
    });
  });
  requestAnimationFrame(() => {
    const here = step && step.at && found.drawing.boxes[step.at[1]];
    if (!here || step.at[0] !== wanted) return;
    const top = made.image.getBoundingClientRect().top - side.getBoundingClientRect().top + side.scrollTop + here.y * made.scale;
    if (top < side.scrollTop + 30 || top + here.height * made.scale > side.scrollTop + side.clientHeight) side.scrollTop = top - side.clientHeight / 3;
    const left = here.x * made.scale, right = left + here.width * made.scale;
    if (left < side.scrollLeft || right > side.scrollLeft + side.clientWidth) side.scrollLeft = (left + right - side.clientWidth) / 2;
  });
  return [choose, made.image];
}

function witnessTab(view) {
  if (!drawn.has("witness")) drawn.set("witness", drawing(data.witness, view.run, () => {}));
  const made = drawn.get("witness");
  const line = view.step ? view.step.line : -1;
  for (const { path, label, arrow } of made.arrows) {
    path.classList.toggle("here", arrow.line === line && line > 0);
    label.classList.toggle("here", arrow.line === line && line > 0);
  }
  return [element("p.faint", null, "What the witness says. Transitions about the line of the current step are lit."), made.image];
}
