// The extension starts `whydunit lsp`; diagnostics, repairs, lenses, progress and cancelling are the server's.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
  const settings = workspace.getConfiguration("whydunit");
  const server = { command: settings.get("path"), args: ["lsp", "--timeout", String(settings.get("timeout"))] };
  client = new LanguageClient("whydunit", "whydunit", server, { documentSelector: [{ scheme: "file", language: "c" }] });
  return client.start();
};

exports.deactivate = function () {
  return client ? client.stop() : undefined;
};
