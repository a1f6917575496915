//! The language server, over the protocol, as an editor uses it.

use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Client {
    server: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: i32,
    /// Notifications that came while something else was waited for.
    notes: Vec<Notification>,
}

impl Client {
    fn start() -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_whydunit"))
            .args(["lsp", "--stdio", "--timeout", "60"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let to = BufWriter::new(server.stdin.take().expect("piped"));
        let from = BufReader::new(server.stdout.take().expect("piped"));
        let mut client = Client { server, to, from, next: 0, notes: Vec::new() };
        let capabilities = json!({ "window": { "workDoneProgress": true } });
        let answer = client.request("initialize", json!({ "processId": null, "capabilities": capabilities }));
        assert_eq!(answer["capabilities"]["codeLensProvider"]["resolveProvider"], false);
        assert_eq!(answer["capabilities"]["executeCommandProvider"]["commands"], json!(["whydunit.verify"]));
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: Message) {
        message.write(&mut self.to).expect("the server listens");
        self.to.flush().expect("the server listens");
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(Message::Notification(Notification::new(method.into(), params)));
    }

    fn receive(&mut self) -> Message {
        let message = Message::read(&mut self.from).expect("the server speaks the protocol");
        let message = message.expect("the server is there");
        if let Message::Request(request) = &message {
            self.send(Message::Response(Response::new_ok(request.id.clone(), Value::Null)));
        }
        message
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(Message::Request(Request::new(id.clone(), method.into(), params)));
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id => {
                    return match response.response_result {
                        Ok(result) => result,
                        Err(error) => json!({ "error": error.message }),
                    };
                }
                Message::Notification(note) => self.notes.push(note),
                Message::Response(_) | Message::Request(_) => {}
            }
        }
    }

    /// The next notification with this method that is as wanted.
    fn wait_for(&mut self, method: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let known = self.notes.iter().position(|note| note.method == method && is_wanted(&note.params));
        if let Some(index) = known {
            return self.notes.remove(index).params;
        }
        loop {
            match self.receive() {
                Message::Notification(note) if note.method == method && is_wanted(&note.params) => return note.params,
                Message::Notification(note) => self.notes.push(note),
                Message::Response(_) | Message::Request(_) => {}
            }
        }
    }

    fn diagnostics(&mut self, is_wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let list = |params: &Value| params["diagnostics"].as_array().cloned().unwrap_or_default();
        list(&self.wait_for("textDocument/publishDiagnostics", |params| is_wanted(&list(params))))
    }

    fn open(&mut self, file: &Path) -> Value {
        let uri = json!(report::uri::of_path(file.to_str().expect("text")));
        let text = std::fs::read_to_string(file).expect("the file is there");
        let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        json!({ "uri": uri })
    }

    fn stop(mut self) {
        assert_eq!(self.request("shutdown", Value::Null), Value::Null);
        self.notify("exit", Value::Null);
        assert!(self.server.wait().expect("the server ends").success());
    }
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("the folder can be written");
    path
}

fn severity(diagnostic: &Value) -> u64 {
    diagnostic["severity"].as_u64().expect("a severity")
}

const SORT: &str = "extern int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int cond) { if (!cond) { ERROR: __VERIFIER_error(); } }
int half(int x) { return 10 / x; }
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a < b) { int t = a; a = b; b = t; }
  __VERIFIER_assert(a <= b);
  return 0;
}
";

#[test]
fn a_violation_is_shown_with_its_run_and_repaired() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(&folder, "a file.c", SORT);
    let mut client = Client::start();
    let document = client.open(&path);
    let begun = client.wait_for("$/progress", |params| params["value"]["kind"] == "begin");
    assert_eq!(begun["value"]["cancellable"], true);
    let found = client.diagnostics(|list| list.iter().any(|one| severity(one) == 1));
    let related = found[0]["relatedInformation"].as_array().expect("the run");
    assert!(!related.is_empty() && related.iter().all(|step| step["location"]["uri"] == document["uri"]), "{found:?}");
    // Later the suspects come.
    let all = client.diagnostics(|list| list.iter().any(|one| severity(one) == 3));
    assert!(all.iter().any(|one| one["range"]["start"]["line"] == 5), "{all:?}");
    let range = json!({ "start": { "line": 5, "character": 0 }, "end": { "line": 5, "character": 3 } });
    let context = json!({ "diagnostics": [] });
    let actions = client
        .request("textDocument/codeAction", json!({ "textDocument": document, "range": range, "context": context }));
    let edit = &actions[0]["edit"]["changes"][document["uri"].as_str().expect("a reference")][0];
    let lines: Vec<&str> = SORT.lines().collect();
    let line = |end: &str| edit["range"][end]["line"].as_u64().expect("a line") as usize;
    let new = edit["newText"].as_str().expect("a text");
    let repaired = format!("{}\n{new}{}\n", lines[..line("start")].join("\n"), lines[line("end")..].join("\n"));
    std::fs::write(&path, repaired).expect("the folder can be written");
    client.notify("textDocument/didSave", json!({ "textDocument": document }));
    assert_eq!(client.diagnostics(<[Value]>::is_empty), Vec::<Value>::new());
    client.stop();
}

#[test]
fn functions_are_verified_on_demand() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start();
    let document = client.open(&file(&folder, "x.c", &SORT.replace("a < b", "a > b")));
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": document }));
    let titles: Vec<&str> =
        lenses.as_array().expect("a list").iter().filter_map(|lens| lens["command"]["title"].as_str()).collect();
    assert_eq!(titles, ["verify __VERIFIER_assert", "verify half", "verify main"]);
    assert_eq!(lenses[1]["range"]["start"]["line"], 2);
    let command = &lenses[1]["command"];
    client.request(
        "workspace/executeCommand",
        json!({ "command": command["command"], "arguments": command["arguments"] }),
    );
    let found = client.diagnostics(|list| list.iter().any(|one| one["code"] == "div-by-zero"));
    assert!(found[0]["message"].as_str().is_some_and(|text| text.contains("starting at half")), "{found:?}");
    let wrong = client.request("workspace/executeCommand", json!({ "command": "frob", "arguments": [] }));
    assert!(wrong["error"].as_str().is_some_and(|text| text.contains("frob")), "{wrong:?}");
    client.stop();
}

#[test]
fn what_is_no_c_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start();
    client.open(&file(&folder, "x.c", "int main(void) { return 1 + ; }\n"));
    let found = client.diagnostics(|list| !list.is_empty());
    assert_eq!((severity(&found[0]), &found[0]["range"]["start"]["line"]), (1, &json!(0)));
    client.stop();
}

#[test]
fn work_is_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    // No engine decides this in a minute.
    let hard = "extern unsigned long __VERIFIER_nondet_ulong(void); extern void __assert_fail(void);
#include <assert.h>
int main(void) { unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
  if (a > 1 && b > 1 && a < 0xffffffff && b < 0xffffffff) assert(a * b != 0xfffffffb00000005); return 0; }
";
    let mut client = Client::start();
    let document = client.open(&file(&folder, "hard.c", hard));
    let begun = client.wait_for("$/progress", |params| params["value"]["kind"] == "begin");
    client.notify("window/workDoneProgress/cancel", json!({ "token": begun["token"] }));
    let ended = client.wait_for("$/progress", |params| params["value"]["kind"] == "end");
    assert_eq!(ended["value"]["message"], "cancelled");
    // A file that is closed has no diagnostics.
    client.notify("textDocument/didClose", json!({ "textDocument": document }));
    client.diagnostics(<[Value]>::is_empty);
    client.stop();
}

/// `contrib/vscode` without an editor, where there is node: it starts this server, which answers.
#[test]
fn the_extension_for_vs_code_starts_the_server() {
    let test = testkit::project::root().join("contrib/vscode/test.mjs");
    let node = Command::new("node").arg("--test").arg(test).env("WHYDUNIT", env!("CARGO_BIN_EXE_whydunit")).output();
    let Ok(output) = node else {
        println!("skipped: there is no node");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
