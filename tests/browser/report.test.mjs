// The HTML report in a real browser, opened from file://. `cargo xtask report-browser` runs this; WHYDUNIT is the program, OUT the folder for pages and screenshots.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const tool = process.env.WHYDUNIT || join(root, "target/debug/whydunit");
const out = process.env.OUT || join(root, "target/report-browser");
const programs = join(here, "programs");
const laptop = { width: 1366, height: 768 };
let browser;

mkdirSync(out, { recursive: true });
before(async () => { browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] }); });
after(async () => { await browser.close(); });

function run(args, codes = [0, 10]) {
  const made = spawnSync(tool, args, { encoding: "utf8", timeout: 240000, maxBuffer: 1 << 28, env: { ...process.env, SOURCE_DATE_EPOCH: "0" } });
  assert.ok(codes.includes(made.status), `${args.join(" ")}: ${made.status}\n${made.stdout}\n${made.stderr}`);
  return made.stdout;
}

// Opens a page; it must not complain, and must not ask anybody for anything.
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: laptop, colorScheme: "light", acceptDownloads: true, ...options });
  const page = await context.newPage();
  const trouble = [];
  page.on("console", message => { if (["error", "warning"].includes(message.type())) trouble.push(message.text()); });
  page.on("pageerror", error => trouble.push(String(error)));
  page.on("dialog", dialog => { trouble.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", request => { if (!/^(file|blob|data):/.test(request.url())) trouble.push(`request: ${request.url()}`); });
  const began = Date.now();
  await page.goto(pathToFileURL(file).href);
  await page.locator("#verdict").waitFor();
  const time = Date.now() - began;
  const data = JSON.parse(await page.locator("#data").textContent());
  return { page, data, time, close: async () => { assert.deepEqual(trouble, []); await context.close(); } };
}

async function pictures(file, name, prepare = async () => {}) {
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await open(file, { colorScheme });
    await prepare(page);
    await page.waitForTimeout(80);
    await page.screenshot({ path: join(out, `${name}-${colorScheme}.png`) });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight);
    assert.equal(wide, false, "the page fits a laptop screen");
    await close();
  }
}

const current = page => page.locator("#steps .current").getAttribute("data-step").then(Number);
const position = page => page.locator("#position").textContent();

test("stepping: the panes agree with the data and with the JSON report", async () => {
  const file = join(out, "loop.html");
  const json = JSON.parse(run(["verify", join(programs, "loop.c"), "-p", "unreach-call", "--json", "--html", file]));
  const { page, data, close } = await open(file);
  const steps = json.violations[0].trace.steps, shown = data.violations[0].runs[0];
  assert.equal(shown.steps.length, steps.length);
  assert.equal(await page.locator("#verdict").textContent(), "violated");
  assert.equal(await position(page), `step ${steps.length + 1} of ${steps.length + 1}`);
  await page.keyboard.press("Home");
  let values = new Map();
  for (let index = 0; index < steps.length; index++) {
    assert.equal(await current(page), index);
    assert.equal(await page.locator("#steps .current .what").textContent(), steps[index].text);
    assert.equal(await page.locator("#source .here .number").textContent(), String(steps[index].line));
    await page.keyboard.press("1");
    assert.match(await page.locator("#side .frame").first().textContent(), new RegExp(steps[index].kind === "call" ? "clamp" : steps[index].function));
    const { assigned, text } = steps[index];
    if (assigned && !assigned.includes("[")) {
      values.set(assigned, text.split(" = ")[1]);
      const row = page.locator("#side tr.changed", { hasText: assigned });
      assert.equal(await row.locator(".value").first().textContent(), values.get(assigned));
    }
    await page.keyboard.press("j");
  }
  // Elements are told apart by their index.
  for (const index of [0, 5]) assert.equal(await page.locator("#side td.mono", { hasText: `numbers[${index}]` }).count(), 1);
  await close();
});

test("relevant steps, folding, slider, tabs and theme by keyboard only", async () => {
  const file = join(out, "loop-report.html");
  const text = run(["report", join(programs, "loop.c"), "-p", "unreach-call", "--html", file], [10]);
  assert.match(text, /verdict: false\(unreach-call\)/);
  assert.match(text, /page: /);
  const { page, data, close } = await open(file);
  const run0 = data.violations[0].runs[0], relevant = run0.steps.flatMap((step, index) => step[8] ? [index] : []);
  assert.ok(relevant.length < run0.steps.length);
  await page.keyboard.press("Home");
  if (await current(page) !== relevant[0]) await page.keyboard.press("n");
  for (const index of relevant.slice(0, 12)) {
    assert.equal(await current(page), index);
    await page.keyboard.press("n");
  }
  await page.keyboard.press("End");
  await page.keyboard.press("p");
  assert.equal(await current(page), relevant[relevant.length - 1]);
  await page.keyboard.press("o");
  await page.keyboard.press("o");
  const before = await page.locator("#steps .row").count();
  await page.keyboard.press("f");
  assert.ok(await page.locator("#steps .row").count() < before);
  await page.keyboard.press("f");
  // Every control can be reached with Tab, and shows that it has the focus.
  const reached = new Set();
  for (let index = 0; index < 40; index++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const now = document.activeElement;
      return { id: now.id || now.textContent, outline: getComputedStyle(now).outlineStyle, body: now === document.body };
    });
    if (!at.body) { reached.add(at.id); assert.notEqual(at.outline, "none", at.id); }
  }
  for (const id of ["theme", "help-button", "slider", "before", "after", "only-relevant", "source", "steps", "side", "Why", "Values"]) assert.ok(reached.has(id), `${id} of ${[...reached]}`);
  await page.locator("#slider").focus();
  await page.keyboard.press("Home");
  assert.match(await position(page), /^step 1 of/);
  await page.keyboard.press("ArrowRight");
  assert.match(await position(page), /^step 2 of/);
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  await close();
});

test("the other runs, side by side, and what is said about the failure", async () => {
  const file = join(out, "loop-report.html");
  const { page, data, close } = await open(file);
  const kinds = data.violations[0].runs.map(one => one.kind);
  assert.ok(kinds.includes("passing"), String(kinds));
  const choices = await page.locator("#runs button").count();
  for (let index = 0; index < choices; index++) await page.keyboard.press("r");
  await page.locator("#runs button", { hasText: "⇄ passing" }).click();
  assert.ok(await page.locator("#steps .pair").count() > 3);
  assert.ok(await page.locator("#steps .pair[data-kind=value], #steps .pair[data-kind=left], #steps .pair[data-kind=right]").count() > 0, "differences are marked");
  await page.locator("#runs button").first().click();
  await page.locator("#tabs button", { hasText: "Why" }).click();
  const why = await page.locator("#side").textContent();
  for (const suspect of data.suspects.slice(0, 3)) assert.ok(why.includes(`line ${suspect.line}`) && why.includes(suspect.reason.replaceAll("`", "")));
  for (const text of [...data.sentences, ...data.causes.map(one => one.predicate)]) assert.ok(why.includes(text.replaceAll("`", "")), text);
  assert.ok(data.suspects.length > 0 && data.sentences.some(text => text.includes("suffices")));
  await page.keyboard.press("Home");
  await page.locator("#source").evaluate(box => { box.scrollTop = 0; });
  assert.ok(await page.locator("#source .heat").count() > 0, "suspects are a heat map");
  assert.ok(await page.locator("#source .executed").count() > 0);
  await page.locator("#tabs button", { hasText: "Inputs" }).click();
  const any = data.violations[0].runs[0].inputs.filter(input => input.dont_care === true).length;
  assert.equal(await page.locator("#side tr.any").count(), any);
  assert.equal(any, 1, "the first input does not matter");
  await page.locator("#tabs button", { hasText: "Flow" }).click();
  await page.keyboard.press("n");
  assert.equal(await page.locator("#side svg .lit").count(), 1, "the current step is lit");
  await page.locator("#tabs button", { hasText: "More" }).click();
  const names = data.downloads.map(one => one.name);
  for (const name of ["verify.json", "localize.json", "inputs.txt", "witness.graphml", "witness.yml", "harness.c", "testcase.xml"]) assert.ok(names.includes(name), `${name} of ${names}`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#side a", { hasText: "verify.json" }).click()]);
  const saved = join(out, "downloaded.json");
  await download.saveAs(saved);
  assert.equal(JSON.parse(readFileSync(saved, "utf8")).verdict, "false");
  await close();
});

test("a proof shows its invariants at their loops", async () => {
  const file = join(out, "proof.html");
  run(["verify", join(programs, "proof.c"), "-p", "unreach-call", "--html", file], [0]);
  const { page, data, close } = await open(file);
  assert.equal(await page.locator("#verdict").textContent(), "holds");
  assert.ok(data.invariants.length > 0);
  assert.ok(await page.locator("#source .note").count() > 0);
  const side = await page.locator("#side").textContent();
  for (const invariant of data.invariants) assert.ok(side.includes(invariant.expression));
  await page.keyboard.press("j");
  await close();
});

test("several violations have an index", async () => {
  const file = join(out, "several.html");
  run(["verify", join(programs, "several.c"), "--engine", "bmc", "--all", "--html", file], [10]);
  const { page, data, close } = await open(file);
  assert.equal(data.violations.length, 3);
  assert.equal(await page.locator("#violations option").count(), 3);
  for (const index of [1, 2, 0]) {
    await page.locator("#violations").selectOption(String(index));
    assert.ok((await page.locator("#headline h1").textContent()).startsWith(data.violations[index].message));
    assert.ok(await page.locator("#steps .row").count() > 0);
  }
  await close();
});

test("a witness is drawn, and the run that it describes can be stepped", async () => {
  const witness = join(out, "loop.graphml"), file = join(out, "witness.html");
  run(["verify", join(programs, "loop.c"), "-p", "unreach-call", "--witness", witness], [10]);
  run(["witness", "validate", witness, join(programs, "loop.c"), "--html", file], [0]);
  const { page, data, close } = await open(file);
  assert.equal(data.verdict, "confirmed");
  await page.locator("#tabs button", { hasText: "Witness" }).click();
  assert.equal(await page.locator("#side svg .box").count(), data.witness.boxes.length);
  await page.keyboard.press("Home");
  for (let index = 0; index < 40 && await page.locator("#side svg .arrow.here").count() === 0; index++) await page.keyboard.press("j");
  assert.ok(await page.locator("#side svg .arrow.here").count() > 0, "transitions of the current line are lit");
  await page.screenshot({ path: join(out, "witness-light.png") });
  await close();
});

test("cycles of a PLC program are a timing diagram", async () => {
  const file = join(out, "pump.html");
  const condition = "implication: NOT low AND NOT high; NOT pump1 AND NOT pump2";
  run(["verify", "--cycle-time", "500ms", "--require", condition, join(root, "examples/pump.st"), "--html", file], [10]);
  const { page, data, close } = await open(file);
  await page.locator("#tabs button", { hasText: "Cycles" }).click();
  const rows = data.violations[0].runs[0].cycles;
  assert.ok(rows.some(row => row.role === "input") && rows.some(row => row.role === "output"));
  assert.equal(await page.locator("#side svg .cycle").count(), rows[0].values.length);
  assert.ok(await page.locator("#side svg .wave").count() > 0);
  await page.locator("#side svg .cycle").first().click();
  assert.equal(await page.locator("#side svg .cycle.here").count(), 1);
  await close();
});

test("inputs that no step that matters uses are grey", async () => {
  const source = join(out, "unused.c"), file = join(out, "unused.html");
  writeFileSync(source, "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = 0;\n  if (b > 7) c = 1;\n  if (a > 3) reach_error();\n  return c;\n}\n");
  run(["verify", source, "--html", file], [10]);
  const { page, close } = await open(file);
  await page.locator("#tabs button", { hasText: "Inputs" }).click();
  const rows = page.locator("#side tr.any");
  assert.equal(await rows.count(), 1);
  assert.match(await rows.first().textContent(), /^b.*not used/);
  await close();
});

test("hostile text is shown as text", async () => {
  const name = join(out, `a"'<b>&amp;.c`);
  const long = "x".repeat(1 << 20);
  const evil = `</script><script>alert(1)</script><!-- <img src=x onerror="alert(2)"> {{data}} \u202e\u2066`;
  writeFileSync(name, `extern void reach_error(void);\n// ${evil}\n// ${long}\nconst char *text = "${evil.replaceAll('"', '\\"')}";\nint main(void) {\n  const char *p = text;\n  int c = p[0];\n  if (c == '<')\n    reach_error();\n  return 0;\n}\n`);
  const file = join(out, "hostile.html");
  run(["report", name, "-p", "unreach-call", "--html", file], [10]);
  const { page, data, close } = await open(file);
  assert.equal(data.sources[0].text.split("\n")[2].length, long.length + 3, "the data has the whole line");
  await page.keyboard.press("Home");
  await page.locator("#source").evaluate(box => { box.scrollTop = 0; });
  const row = page.locator("#source .row").nth(1);
  await row.waitFor();
  const text = await row.textContent();
  assert.ok(text.includes("</script><script>alert(1)</script><!-- <img src=x") && text.includes("\\u{202e}\\u{2066}"), text);
  assert.match(await page.locator("#source .row").nth(2).textContent(), /1,048,57\d characters/);
  assert.equal(await page.locator("img, script:not(#data)").count(), 1, "only the page's own script");
  assert.ok((await page.locator("#headline").textContent()).includes(`a"'<b>&amp;.c`));
  await close();
});

test("a run of 10,000 steps opens quickly and stays fluid", async () => {
  const file = join(out, "long.html");
  run(["verify", join(programs, "long.c"), "-p", "unreach-call", "--show-steps", "100000", "--html", file, "--timeout", "200"], [10]);
  const { page, data, time, close } = await open(file);
  const count = data.violations[0].runs[0].steps.length;
  assert.ok(count >= 10000, `${count} steps`);
  assert.ok(await page.locator("#steps .row").count() < 100, "only what can be seen is made");
  const slowest = await page.evaluate(async () => {
    const slider = document.getElementById("slider");
    let slowest = 0;
    for (let index = 0; index < 120; index++) {
      const began = performance.now();
      slider.value = Math.floor(Math.random() * slider.max);
      slider.dispatchEvent(new Event("input"));
      slowest = Math.max(slowest, performance.now() - began);
      await new Promise(requestAnimationFrame);
    }
    return slowest;
  });
  console.log(`10,000 steps: ${count} steps, page of ${statSync(file).size} bytes, open after ${time} ms, slowest jump ${slowest.toFixed(1)} ms`);
  assert.ok(time < 4000 && slowest < 250, `${time} ms, ${slowest} ms`);
  await close();
});

test("deep recursion stays fluid", async () => {
  const file = join(out, "deep.html"), program = join(out, "deep.c");
  writeFileSync(program, "extern void reach_error(void);\nint deep(int n) {\n  if (n == 0)\n    reach_error();\n  return deep(n - 1) + 1;\n}\nint main(void) { return deep(1500); }\n");
  run(["verify", program, "-p", "unreach-call", "--html", file, "--engine", "run"], [10]);
  const { page, data, close } = await open(file);
  assert.ok(data.violations[0].runs[0].steps.length > 2900);
  const slowest = await page.evaluate(() => {
    let slowest = 0;
    for (const key of ["k", "k", "p", "j", "Home", "End", "f", "f", "o", "o"]) {
      const began = performance.now();
      dispatchEvent(Object.assign(new KeyboardEvent("keydown", { key }), {}));
      slowest = Math.max(slowest, performance.now() - began);
    }
    return slowest;
  }).catch(error => error);
  assert.ok(slowest < 500, String(slowest));
  assert.match(await page.locator("#side").textContent(), /more calls/);
  await close();
});

test("pages without a run", async () => {
  const unknown = join(out, "unknown.html"), program = join(out, "unknown.c");
  writeFileSync(program, "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int();\n  for (int i = 0; i < n; i++)\n    if (i == 40) reach_error();\n  return 0;\n}\n");
  for (const command of ["verify", "explain", "localize", "minimize"]) {
    run([command, program, "-p", "unreach-call", "--engine", "bmc", "--unwind", "3", "--html", unknown], [30]);
    const { page, data, close } = await open(unknown);
    assert.equal(data.verdict, "unknown");
    assert.equal(await page.locator("#verdict").textContent(), "unknown");
    assert.ok((await page.locator("#side").textContent()).includes(data.reason.split("`")[0].slice(0, 40)));
    assert.ok(await page.locator("#source .row").count() >= 7);
    for (const key of ["j", "n", "r", "f", "1", "2", "t"]) await page.keyboard.press(key);
    await close();
  }
  const tests = join(out, "tests.html");
  writeFileSync(join(out, "sum.c"), "int sum(int a, int b) {\n  int c = a - b;\n  return c;\n}\n");
  run(["localize", join(out, "sum.c"), "--entry", "sum", "--inputs", "2,3", "--expect-result", "5", "--html", tests], [10]);
  const { page, data, close } = await open(tests);
  assert.ok(data.suspects.length > 0);
  assert.ok(await page.locator("#source .heat").count() > 0);
  await close();
});

test("pages print what matters", async () => {
  const { page, close } = await open(join(out, "loop-report.html"));
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.ok(await page.locator("#print").isVisible() && !(await page.locator("#panes").isVisible()));
  assert.match(await page.locator("#print").textContent(), /Relevant steps/);
  await page.pdf({ path: join(out, "loop.pdf") });
  await close();
});

test("pictures, light and dark", async () => {
  await pictures(join(out, "loop-report.html"), "loop");
  await pictures(join(out, "loop-report.html"), "loop-values", async page => { await page.keyboard.press("Home"); for (let index = 0; index < 14; index++) await page.keyboard.press("j"); await page.keyboard.press("2"); await page.keyboard.press("1"); });
  await pictures(join(out, "loop-report.html"), "loop-flow", async page => { await page.locator("#tabs button", { hasText: "Flow" }).click(); await page.keyboard.press("p"); });
  await pictures(join(out, "loop-report.html"), "loop-compare", async page => { await page.locator("#runs button", { hasText: "⇄ passing" }).click(); });
  await pictures(join(out, "proof.html"), "proof");
  await pictures(join(out, "pump.html"), "pump", async page => { await page.locator("#tabs button", { hasText: "Cycles" }).click(); });
  await pictures(join(out, "hostile.html"), "hostile");
  const tcas = join(root, "../shared/bench/tcas/harness/tcas_v1.c");
  if (existsSync(tcas)) {
    run(["report", tcas, "-p", "unreach-call", "-p", "assertion", "--html", join(out, "tcas.html")], [10]);
    await pictures(join(out, "tcas.html"), "tcas");
    await pictures(join(out, "tcas.html"), "tcas-flow", async page => { await page.locator("#tabs button", { hasText: "Flow" }).click(); await page.keyboard.press("p"); });
    await pictures(join(out, "tcas.html"), "tcas-compare", async page => { await page.locator("#runs button", { hasText: "⇄ passing" }).click(); });
    await pictures(join(out, "tcas.html"), "tcas-inputs", async page => { await page.locator("#tabs button", { hasText: "Inputs" }).click(); await page.keyboard.press("o"); });
  }
});
