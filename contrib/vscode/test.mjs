// The extension without an editor: what VS Code gives it is replaced, and the server that it names is asked over the protocol.
// Usage: WHYDUNIT=target/debug/whydunit node --test contrib/vscode/test.mjs

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import Module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const manifest = require("./package.json");
const defaults = Object.fromEntries(Object.entries(manifest.contributes.configuration.properties).map(([name, { default: value }]) => [name, value]));
const tool = process.env.WHYDUNIT;

// The extension with these settings, and the client that it makes.
function loaded(settings) {
  const made = [];
  class LanguageClient {
    constructor(id, name, server, options) { Object.assign(this, { id, name, server, options, running: false }); made.push(this); }
    async start() { this.running = true; }
    async stop() { this.running = false; }
  }
  const replaced = {
    "vscode": { workspace: { getConfiguration: section => ({ get: key => ({ ...defaults, ...settings })[`${section}.${key}`] }) } },
    "vscode-languageclient/node": { LanguageClient },
  };
  const load = Module._load;
  Module._load = (name, ...rest) => replaced[name] ?? load(name, ...rest);
  delete require.cache[require.resolve("./extension.js")];
  const extension = require("./extension.js");
  Module._load = load;
  return { extension, made };
}

// Messages of the protocol, in both directions.
function connect({ command, args }) {
  const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  let buffer = Buffer.alloc(0);
  const waiting = [], messages = [];
  server.stdout.on("data", data => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
      if (buffer.length < end + 4 + length) return;
      messages.push(JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString()));
      buffer = buffer.subarray(end + 4 + length);
      waiting.splice(0).forEach(resolve => resolve());
    }
  });
  const send = message => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const wait = async wanted => {
    for (;;) {
      const found = messages.find(wanted);
      if (found) return found;
      await new Promise(resolve => waiting.push(resolve));
    }
  };
  return { send, wait, ended: new Promise(resolve => server.on("exit", resolve)) };
}

test("the settings name the server", async () => {
  const { extension, made } = loaded({ "whydunit.path": "/opt/whydunit", "whydunit.timeout": 5 });
  await extension.activate();
  assert.equal(made.length, 1);
  assert.deepEqual(made[0].server, { command: "/opt/whydunit", args: ["lsp", "--timeout", "5"] });
  assert.deepEqual(made[0].options.documentSelector, [{ scheme: "file", language: "c" }]);
  assert.equal(made[0].running, true);
  await extension.deactivate();
  assert.equal(made[0].running, false);
});

test("the server answers", { skip: tool ? false : "WHYDUNIT names no executable" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "whydunit-vscode-"));
  const file = join(folder, "bug.c"), uri = pathToFileURL(file).href;
  const text = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int(); assert(x != 7); return 0; }\n";
  writeFileSync(file, text);
  const { extension, made } = loaded({ "whydunit.path": tool });
  await extension.activate();
  const { send, wait, ended } = connect(made[0].server);
  send({ id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });
  const { result } = await wait(message => message.id === 1);
  assert.deepEqual(result.capabilities.executeCommandProvider.commands, ["whydunit.verify"]);
  send({ method: "initialized", params: {} });
  send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "c", version: 1, text } } });
  const shown = await wait(message => message.method === "textDocument/publishDiagnostics" && message.params.diagnostics.some(one => one.severity === 1));
  assert.equal(shown.params.uri, uri);
  assert.equal(shown.params.diagnostics.find(one => one.severity === 1).range.start.line, 2);
  send({ id: 2, method: "shutdown" });
  await wait(message => message.id === 2);
  send({ method: "exit" });
  assert.equal(await ended, 0);
  rmSync(folder, { recursive: true });
});
