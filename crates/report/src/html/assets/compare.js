// Two runs side by side: steps at the same place are one row, and what differs is marked.

// More steps than these between the equal ends of two runs are not aligned one by one.
const MOST_ALIGNED = 1500;

const sameStep = (a, b) => a.file === b.file && a.line === b.line && a.kind === b.kind && a.function === b.function;

function aligned(left, right) {
  const a = left.steps, b = right.steps, pairs = [];
  let start = 0, end = 0;
  while (start < a.length && start < b.length && sameStep(a[start], b[start])) pairs.push([a[start], b[start++]]);
  while (end < a.length - start && end < b.length - start && sameStep(a[a.length - 1 - end], b[b.length - 1 - end])) end++;
  const x = a.slice(start, a.length - end), y = b.slice(start, b.length - end);
  if (x.length <= MOST_ALIGNED && y.length <= MOST_ALIGNED) {
    // The longest common sequence, from the end.
    const width = y.length + 1, best = new Uint16Array((x.length + 1) * width);
    for (let i = x.length - 1; i >= 0; i--) for (let j = y.length - 1; j >= 0; j--) {
      best[i * width + j] = sameStep(x[i], y[j]) ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
    let i = 0, j = 0;
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && sameStep(x[i], y[j])) pairs.push([x[i++], y[j++]]);
      else if (j === y.length || (i < x.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) pairs.push([x[i++], null]);
      else pairs.push([null, y[j++]]);
    }
  } else {
    x.forEach(step => pairs.push([step, null]));
    y.forEach(step => pairs.push([null, step]));
  }
  for (let index = end; index > 0; index--) pairs.push([a[a.length - index], b[b.length - index]]);
  return pairs;
}

const pairKind = ([left, right]) => !right ? "left" : !left ? "right" : left.text === right.text ? "same" : "value";

function pairRow(pair, current, go) {
  const [left, right] = pair, kind = pairKind(pair);
  const cell = step => element("span", { title: step && step.text }, step ? [element("b", null, step.line || ""), "  ".repeat(Math.min(step.depth, 8)), step.text] : null);
  return element(`div.row.pair.${kind}${(left && left.index === current) || (!left && current === right) ? ".current" : ""}`, { onclick: () => left && go(left.index), "data-kind": kind }, cell(left), cell(right));
}
