//! `whydunit lsp`: a language server over standard input and output. Every question is a process of this program with `--json`, so that it can be
//! cancelled at any time and a crash costs one answer: [`jobs`] starts and ends them, [`answers`] makes diagnostics and edits of what they print,
//! [`text`] converts places.

mod answers;
mod jobs;
mod text;

use crate::args::LspArgs;
use crate::pipeline::OK;
use answers::Known;
use anyhow::{Context, Result};
use jobs::{Done, Jobs, Question};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CodeActionParams, CodeActionProviderCapability, CodeLens, CodeLensOptions, CodeLensParams, Command,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandOptions,
    ExecuteCommandParams, NumberOrString, ProgressParams, ProgressParamsValue, PublishDiagnosticsParams, SaveOptions,
    ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
    WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCancelParams, WorkDoneProgressCreateParams,
    WorkDoneProgressEnd, WorkDoneProgressOptions,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The command of a code lens: verify with this function as the one to start at.
const VERIFY: &str = "whydunit.verify";

pub fn command(args: &LspArgs) -> Result<u8> {
    let (connection, threads) = Connection::stdio();
    let capabilities = serde_json::to_value(capabilities())?;
    let client = connection.initialize(capabilities).context("the client does not start the session")?;
    let shows_progress = client["capabilities"]["window"]["workDoneProgress"] == true;
    let jobs = Jobs::new(args.timeout)?;
    let mut server = Server { connection, jobs, known: BTreeMap::new(), shows_progress, requests: 0 };
    server.serve()?;
    server.jobs.cancel_all();
    drop(server);
    threads.join()?;
    Ok(OK)
}

fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![VERIFY.into()],
            work_done_progress_options: WorkDoneProgressOptions { work_done_progress: Some(true) },
        }),
        ..ServerCapabilities::default()
    }
}

struct Server {
    connection: Connection,
    jobs: Jobs,
    /// What is known about each file that is open.
    known: BTreeMap<String, Known>,
    /// Whether the client wants to be told what is being done.
    shows_progress: bool,
    requests: i32,
}

impl Server {
    fn serve(&mut self) -> Result<()> {
        loop {
            let (client, done) = (self.connection.receiver.clone(), self.jobs.finished());
            crossbeam_channel::select! {
                recv(client) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if self.connection.handle_shutdown(&request)? {
                            return Ok(());
                        }
                        let answer = self.answer(request);
                        self.send(Message::Response(answer))?;
                    }
                    Ok(Message::Notification(notification)) => self.note(notification)?,
                    // The client says that it shows the progress.
                    Ok(Message::Response(_)) => {}
                    Err(_) => return Ok(()),
                },
                recv(done) -> done => {
                    if let Ok(done) = done {
                        self.finish(done)?;
                    }
                }
            }
        }
    }

    fn send(&self, message: Message) -> Result<()> {
        self.connection.sender.send(message).context("the client is gone")
    }

    fn notify(&self, method: &str, params: impl serde::Serialize) -> Result<()> {
        self.send(Message::Notification(Notification::new(method.into(), params)))
    }

    fn answer(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let result = match method.as_str() {
            request::CodeActionRequest::METHOD => self.code_actions(params),
            request::CodeLensRequest::METHOD => self.code_lenses(params),
            request::ExecuteCommand::METHOD => self.execute(params),
            _ => return Response::new_err(id, ErrorCode::MethodNotFound as i32, format!("{method} is not supported")),
        };
        match result {
            Ok(value) => Response::new_ok(id, value),
            Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, format!("{error:#}")),
        }
    }

    fn note(&mut self, notification: Notification) -> Result<()> {
        let Notification { method, params } = notification;
        match method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let params: DidOpenTextDocumentParams = serde_json::from_value(params)?;
                self.look_at(&params.text_document.uri)
            }
            notification::DidSaveTextDocument::METHOD => {
                let params: DidSaveTextDocumentParams = serde_json::from_value(params)?;
                self.look_at(&params.text_document.uri)
            }
            notification::DidCloseTextDocument::METHOD => {
                let params: DidCloseTextDocumentParams = serde_json::from_value(params)?;
                let Some(file) = text::path_of(&params.text_document.uri) else { return Ok(()) };
                self.cancel(|question| question.file == file)?;
                self.known.remove(&file);
                self.publish(&file, Vec::new())
            }
            notification::WorkDoneProgressCancel::METHOD => {
                let params: WorkDoneProgressCancelParams = serde_json::from_value(params)?;
                let NumberOrString::String(token) = params.token else { return Ok(()) };
                self.cancel(|question| question.token() == token)
            }
            _ => Ok(()),
        }
    }

    /// A file that was opened or saved is verified, from `main` on.
    fn look_at(&mut self, uri: &Uri) -> Result<()> {
        let Some(file) = text::path_of(uri) else { return Ok(()) };
        self.known.insert(file.clone(), Known::default());
        self.ask(Question::verify(&file, None))
    }

    fn ask(&mut self, question: Question) -> Result<()> {
        self.cancel(|other| other.file == question.file && other.replaces(&question))?;
        if self.shows_progress {
            self.requests += 1;
            let token = NumberOrString::String(question.token());
            let create = WorkDoneProgressCreateParams { token };
            let id = RequestId::from(self.requests);
            let method = request::WorkDoneProgressCreate::METHOD.to_string();
            self.send(Message::Request(Request::new(id, method, create)))?;
            let begin = WorkDoneProgressBegin {
                title: question.title(),
                cancellable: Some(true),
                ..WorkDoneProgressBegin::default()
            };
            self.progress(&question, WorkDoneProgress::Begin(begin))?;
        }
        self.jobs.start(question);
        Ok(())
    }

    fn progress(&self, question: &Question, value: WorkDoneProgress) -> Result<()> {
        let token = NumberOrString::String(question.token());
        self.notify(
            notification::Progress::METHOD,
            ProgressParams { token, value: ProgressParamsValue::WorkDone(value) },
        )
    }

    fn end_progress(&self, question: &Question, message: &str) -> Result<()> {
        if !self.shows_progress {
            return Ok(());
        }
        self.progress(question, WorkDoneProgress::End(WorkDoneProgressEnd { message: Some(message.into()) }))
    }

    fn cancel(&mut self, is_meant: impl Fn(&Question) -> bool) -> Result<()> {
        for question in self.jobs.cancel(is_meant) {
            self.end_progress(&question, "cancelled")?;
        }
        Ok(())
    }

    /// An answer has come.
    fn finish(&mut self, done: Done) -> Result<()> {
        let Some(question) = self.jobs.take(&done) else { return Ok(()) };
        let report = done.report.unwrap_or(Value::Null);
        self.end_progress(&question, &answers::summary(&report))?;
        let Some(known) = self.known.get_mut(&question.file) else { return Ok(()) };
        let next = known.learn(&question, &report);
        let diagnostics = known.diagnostics();
        self.publish(&question.file, diagnostics)?;
        next.map_or(Ok(()), |next| self.ask(next))
    }

    fn publish(&self, file: &str, diagnostics: Vec<lsp_types::Diagnostic>) -> Result<()> {
        let Some(uri) = text::uri_of(file) else { return Ok(()) };
        self.notify(
            notification::PublishDiagnostics::METHOD,
            PublishDiagnosticsParams { uri, diagnostics, version: None },
        )
    }

    fn code_actions(&self, params: Value) -> Result<Value> {
        let params: CodeActionParams = serde_json::from_value(params)?;
        let file = text::path_of(&params.text_document.uri).context("not a file")?;
        let actions = self.known.get(&file).map_or(Vec::new(), |known| known.actions(params.range));
        Ok(serde_json::to_value(actions)?)
    }

    fn code_lenses(&self, params: Value) -> Result<Value> {
        let params: CodeLensParams = serde_json::from_value(params)?;
        let file = text::path_of(&params.text_document.uri).context("not a file")?;
        let lenses = self.jobs.functions(&file)?.into_iter().map(|(function, line)| {
            let command = Command {
                title: format!("verify {function}"),
                command: VERIFY.into(),
                arguments: Some(vec![json!(params.text_document.uri), json!(function)]),
            };
            CodeLens { range: text::line_range(line), command: Some(command), data: None }
        });
        Ok(serde_json::to_value(lenses.collect::<Vec<CodeLens>>())?)
    }

    fn execute(&mut self, params: Value) -> Result<Value> {
        let params: ExecuteCommandParams = serde_json::from_value(params)?;
        if params.command != VERIFY {
            anyhow::bail!("there is no command {}", params.command);
        }
        let [uri, function] = params.arguments.as_slice() else { anyhow::bail!("a file and a function are needed") };
        let uri: Uri = serde_json::from_value(uri.clone())?;
        let file = text::path_of(&uri).context("not a file")?;
        let function = function.as_str().context("the function is a text")?;
        self.known.entry(file.clone()).or_default();
        self.ask(Question::verify(&file, Some(function)))?;
        Ok(Value::Null)
    }
}
