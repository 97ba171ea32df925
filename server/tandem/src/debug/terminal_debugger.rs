//! Executes the commands of `tandem debug` with the debug tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tools::{Context, Session, ToolError};
use workspace::{Headless, Root, Workspace};

use super::command::{BreakpointLocation, DebugCommand};
use super::print;
use crate::cli::DebugArgs;
use crate::stdout::{print_line, write};

/// How long a program runs between two checks for Ctrl-C, in milliseconds.
const POLL_MS: u64 = 100;
/// Lines shown before and after the current one.
const CONTEXT_LINES: u64 = 8;

/// The state of one `tandem debug` process.
pub(super) struct TerminalDebugger {
    launch: Value,
    workspace: Workspace,
    session: Session,
    interrupted: Arc<AtomicBool>,
    /// The report of the last stop; `None` while no program runs.
    stop: Option<Value>,
    /// The selected frame, counted from the top.
    frame: usize,
    watched: Vec<String>,
}

/// An error message for the user.
pub(super) type ErrorMessage = String;

impl TerminalDebugger {
    /// # Errors
    /// If the workspace folder cannot be opened.
    pub(super) fn new(
        args: &DebugArgs,
        interrupted: Arc<AtomicBool>,
    ) -> Result<Self, ErrorMessage> {
        let root = Root::open(&args.workspace).map_err(|error| error.to_string())?;
        let workspace = Workspace::new(vec![root]);
        let snapshot = workspace.snapshot();
        snapshot.index_on_demand();
        let session = Session::new(&snapshot);
        session.audit.set_front_end("cli");
        let mut launch = json!({
            "program": args.program, "args": args.args, "network": args.network,
            "sandbox": !args.no_sandbox,
        });
        if let Some(debugger) = &args.debugger {
            launch["debugger"] = debugger.as_str().into();
        }
        Ok(Self {
            launch,
            workspace,
            session,
            interrupted,
            stop: None,
            frame: 0,
            watched: Vec::new(),
        })
    }

    /// Calls a tool without prompts: typing the command is the approval.
    fn call(&self, tool: &str, params: Value) -> Result<Value, ErrorMessage> {
        let (editor, interrupt) = (Headless { approve_all: true }, AtomicBool::new(false));
        let snapshot = self.workspace.snapshot();
        let context = Context::new(&self.workspace, snapshot, &editor, &interrupt, &self.session);
        tools::call(&context, tool, params).map_err(|error| error_message(&error))
    }

    pub(super) fn execute(&mut self, command: DebugCommand) -> Result<(), ErrorMessage> {
        match command {
            DebugCommand::Break { location, condition } => self.set_breakpoint(location, condition),
            DebugCommand::Breakpoints => {
                let listed = self.call("debug_breakpoint", json!({ "action": "list" }))?;
                let all = listed["breakpoints"].as_array().cloned().unwrap_or_default();
                if all.is_empty() {
                    print_line!("no breakpoints");
                }
                all.iter().for_each(print::breakpoint);
                Ok(())
            }
            DebugCommand::Delete(which) => {
                let params = match which {
                    Some(id) => json!({ "action": "remove", "id": id }),
                    None => json!({ "action": "remove", "all": true }),
                };
                self.call("debug_breakpoint", params).map(drop)
            }
            DebugCommand::Run { stop_on_entry } => self.run(stop_on_entry),
            DebugCommand::Continue => self.resume("continue"),
            DebugCommand::Next => self.resume("over"),
            DebugCommand::Step => self.resume("into"),
            DebugCommand::Finish => self.resume("out"),
            DebugCommand::Print(expression) => {
                print_line!("{}", self.evaluate(&expression)?);
                Ok(())
            }
            DebugCommand::Watch(None) => {
                self.watched.clear();
                Ok(())
            }
            DebugCommand::Watch(Some(expression)) => {
                if self.stop.is_some() {
                    print_line!("{expression} = {}", self.evaluate(&expression)?);
                }
                self.watched.push(expression);
                Ok(())
            }
            DebugCommand::Backtrace => {
                let stack = self.call("debug_stack", json!({}))?;
                print::frames(&stack["frames"], self.frame);
                Ok(())
            }
            DebugCommand::Frame(number) => {
                let stack = self.call("debug_stack", json!({ "max_results": 200 }))?;
                if stack["frames"][number].is_null() {
                    return Err(format!("no frame {number}"));
                }
                self.frame = number;
                print::frames(&stack["frames"], number);
                Ok(())
            }
            DebugCommand::Locals => {
                let frame = self.frame_number()?;
                let result = self.call("debug_variables", json!({ "frame": frame }))?;
                print::variables(&result["variables"]);
                Ok(())
            }
            DebugCommand::List => self.list(),
            DebugCommand::Threads => {
                let all = self.call("debug_threads", json!({}))?;
                print::threads(&all["threads"]);
                Ok(())
            }
            // Handled by the prompt loop.
            DebugCommand::Help | DebugCommand::Quit => Ok(()),
        }
    }

    /// Ends the program.
    pub(super) fn stop(&mut self) {
        if self.stop.is_some() {
            let _ = self.call("debug_stop", json!({}));
        }
        self.session.stop();
    }

    fn set_breakpoint(
        &self,
        location: BreakpointLocation,
        condition: Option<String>,
    ) -> Result<(), ErrorMessage> {
        let mut params = match location {
            BreakpointLocation::Line(line) => {
                let program = self.launch["program"].as_str();
                let here = self.stop.as_ref().and_then(|stop| stop["file"].as_str()).or(program);
                json!({ "action": "set", "file": here, "line": line })
            }
            BreakpointLocation::FileLine(file, line) => {
                json!({ "action": "set", "file": file, "line": line })
            }
            BreakpointLocation::Symbol(symbol) => json!({ "action": "set", "symbol": symbol }),
        };
        if let Some(condition) = condition {
            params["condition"] = condition.into();
        }
        print::breakpoint(&self.call("debug_breakpoint", params)?);
        Ok(())
    }

    fn run(&mut self, stop_on_entry: bool) -> Result<(), ErrorMessage> {
        if self.stop.take().is_some() {
            self.call("debug_stop", json!({}))?;
        }
        let mut launch = self.launch.clone();
        launch["stop_on_entry"] = stop_on_entry.into();
        launch["wait_ms"] = POLL_MS.into();
        let report = self.call("debug_launch", launch)?;
        self.follow(report)
    }

    fn resume(&mut self, action: &str) -> Result<(), ErrorMessage> {
        let params = json!({ "action": action, "wait_ms": POLL_MS });
        let report = self.call("debug_step", params)?;
        self.follow(report)
    }

    /// Waits until the program stops or ends, and prints its output meanwhile.
    fn follow(&mut self, mut report: Value) -> Result<(), ErrorMessage> {
        self.frame = 0;
        // The old stop is outdated; a null report says that the program runs.
        self.stop = Some(Value::Null);
        loop {
            if let Some(output) = report["output"].as_str() {
                write(format_args!("{output}"));
            }
            if report["state"] != "running" {
                break;
            }
            report = if self.interrupted.swap(false, Ordering::Relaxed) {
                self.call("debug_pause", json!({}))?
            } else {
                self.call("debug_step", json!({ "action": "wait", "wait_ms": POLL_MS }))?
            };
        }
        print::stop_or_exit(&report);
        let is_stopped = report["state"] == "stopped";
        self.stop = is_stopped.then_some(report);
        if is_stopped {
            for expression in &self.watched {
                match self.evaluate(expression) {
                    Ok(value) => print_line!("{expression} = {value}"),
                    Err(why) => print_line!("{expression}: {why}"),
                }
            }
        }
        Ok(())
    }

    fn frame_number(&self) -> Result<Value, ErrorMessage> {
        let stop = self.stop.as_ref().ok_or("no program is running; `run` starts it")?;
        if self.frame == 0 {
            return Ok(stop["frame"].clone());
        }
        let stack = self.call("debug_stack", json!({ "max_results": 200 }))?;
        Ok(stack["frames"][self.frame]["frame"].clone())
    }

    fn evaluate(&self, expression: &str) -> Result<String, ErrorMessage> {
        let frame = self.frame_number()?;
        let params = json!({ "expression": expression, "frame": frame });
        let value = self.call("debug_evaluate", params)?;
        Ok(value["result"].as_str().unwrap_or_default().to_owned())
    }

    fn list(&self) -> Result<(), ErrorMessage> {
        let stop = self.stop.as_ref().ok_or("no program is running; `run` starts it")?;
        let (Some(file), Some(line)) = (stop["file"].as_str(), stop["line"].as_u64()) else {
            return Err("no source for the current location".to_owned());
        };
        let snapshot = self.workspace.snapshot();
        let read = snapshot.locate_to_read(file).and_then(|path| snapshot.read(&path));
        let text = read.map_err(|error| error.to_string())?.text;
        let last = (line + CONTEXT_LINES).min(text.line_count() as u64);
        for number in line.saturating_sub(CONTEXT_LINES).max(1)..=last {
            let mark = if number == line { '>' } else { ' ' };
            let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
            print_line!("{mark}{number:5} {}", text.line(index).trim_end());
        }
        Ok(())
    }
}

fn error_message(error: &ToolError) -> String {
    match &error.hint {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message.clone(),
    }
}
