//! What the words at the prompt do, by the tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tools::{Context, Session, ToolError};
use workspace::{Headless, Root, Workspace};

use super::shown;
use super::words::{Place, Word};
use crate::cli::DebugArgs;
use crate::out::{say, write};

/// How long a program goes on before it is looked whether the person wants it stopped, in
/// milliseconds.
const LOOK: u64 = 100;
/// Lines before and after the one that a program is at.
const AROUND: u64 = 8;

/// One person, one program.
pub(super) struct Front {
    launch: Value,
    workspace: Workspace,
    session: Session,
    interrupted: Arc<AtomicBool>,
    /// What the program was like at its last stop; none while it does not run.
    stop: Option<Value>,
    /// The frame that is looked at, counted from the newest.
    frame: usize,
    watched: Vec<String>,
}

/// What is told where something does not work.
pub(super) type Failed = String;

impl Front {
    /// # Errors
    /// In words, when the workspace folder cannot be opened.
    pub(super) fn new(args: &DebugArgs, interrupted: Arc<AtomicBool>) -> Result<Self, Failed> {
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

    /// Whoever types a command has given leave for it.
    fn call(&self, tool: &str, params: Value) -> Result<Value, Failed> {
        let (editor, interrupt) = (Headless { yes: true }, AtomicBool::new(false));
        let snapshot = self.workspace.snapshot();
        let context = Context::new(&self.workspace, snapshot, &editor, &interrupt, &self.session);
        tools::call(&context, tool, params).map_err(|error| worded(&error))
    }

    pub(super) fn does(&mut self, word: Word) -> Result<(), Failed> {
        match word {
            Word::Break { place, condition } => self.set(place, condition),
            Word::Breakpoints => {
                let listed = self.call("debug_breakpoint", json!({ "action": "list" }))?;
                let all = listed["breakpoints"].as_array().cloned().unwrap_or_default();
                if all.is_empty() {
                    say!("no breakpoints");
                }
                all.iter().for_each(shown::breakpoint);
                Ok(())
            }
            Word::Delete(which) => {
                let params = match which {
                    Some(id) => json!({ "action": "remove", "id": id }),
                    None => json!({ "action": "remove", "all": true }),
                };
                self.call("debug_breakpoint", params).map(drop)
            }
            Word::Run { held } => self.run(held),
            Word::Continue => self.go("continue"),
            Word::Next => self.go("over"),
            Word::Step => self.go("into"),
            Word::Finish => self.go("out"),
            Word::Print(expression) => {
                say!("{}", self.value(&expression)?);
                Ok(())
            }
            Word::Watch(None) => {
                self.watched.clear();
                Ok(())
            }
            Word::Watch(Some(expression)) => {
                if self.stop.is_some() {
                    say!("{expression} = {}", self.value(&expression)?);
                }
                self.watched.push(expression);
                Ok(())
            }
            Word::Backtrace => {
                let stack = self.call("debug_stack", json!({}))?;
                shown::frames(&stack["frames"], self.frame);
                Ok(())
            }
            Word::Frame(number) => {
                let stack = self.call("debug_stack", json!({ "max_results": 200 }))?;
                if stack["frames"][number].is_null() {
                    return Err(format!("there is no frame {number}"));
                }
                self.frame = number;
                shown::frames(&stack["frames"], number);
                Ok(())
            }
            Word::Locals => {
                let frame = self.frame_number()?;
                let held = self.call("debug_variables", json!({ "frame": frame }))?;
                shown::variables(&held["variables"]);
                Ok(())
            }
            Word::List => self.list(),
            Word::Threads => {
                let all = self.call("debug_threads", json!({}))?;
                shown::threads(&all["threads"]);
                Ok(())
            }
            // Done where lines are read.
            Word::Help | Word::Quit => Ok(()),
        }
    }

    /// Ends the program.
    pub(super) fn end(&mut self) {
        if self.stop.is_some() {
            let _ = self.call("debug_stop", json!({}));
        }
        self.session.stop();
    }

    fn set(&self, place: Place, condition: Option<String>) -> Result<(), Failed> {
        let mut params = match place {
            Place::Line(line) => {
                let program = self.launch["program"].as_str();
                let here = self.stop.as_ref().and_then(|stop| stop["file"].as_str()).or(program);
                json!({ "action": "set", "file": here, "line": line })
            }
            Place::FileLine(file, line) => json!({ "action": "set", "file": file, "line": line }),
            Place::Symbol(symbol) => json!({ "action": "set", "symbol": symbol }),
        };
        if let Some(condition) = condition {
            params["condition"] = condition.into();
        }
        shown::breakpoint(&self.call("debug_breakpoint", params)?);
        Ok(())
    }

    fn run(&mut self, held: bool) -> Result<(), Failed> {
        if self.stop.take().is_some() {
            self.call("debug_stop", json!({}))?;
        }
        let mut launch = self.launch.clone();
        launch["stop_on_entry"] = held.into();
        launch["wait_ms"] = LOOK.into();
        let report = self.call("debug_launch", launch)?;
        self.follow(report)
    }

    fn go(&mut self, action: &str) -> Result<(), Failed> {
        let params = json!({ "action": action, "wait_ms": LOOK });
        let report = self.call("debug_step", params)?;
        self.follow(report)
    }

    /// Waits until the program stops or ends, and shows what it writes meanwhile.
    fn follow(&mut self, mut report: Value) -> Result<(), Failed> {
        self.frame = 0;
        // What it was like does not hold any more, but that it runs.
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
                self.call("debug_step", json!({ "action": "wait", "wait_ms": LOOK }))?
            };
        }
        shown::report(&report);
        let is_stopped = report["state"] == "stopped";
        self.stop = is_stopped.then_some(report);
        if is_stopped {
            for expression in &self.watched {
                match self.value(expression) {
                    Ok(value) => say!("{expression} = {value}"),
                    Err(why) => say!("{expression}: {why}"),
                }
            }
        }
        Ok(())
    }

    fn frame_number(&self) -> Result<Value, Failed> {
        let stop = self.stop.as_ref().ok_or("the program does not run: `run` starts it")?;
        if self.frame == 0 {
            return Ok(stop["frame"].clone());
        }
        let stack = self.call("debug_stack", json!({ "max_results": 200 }))?;
        Ok(stack["frames"][self.frame]["frame"].clone())
    }

    fn value(&self, expression: &str) -> Result<String, Failed> {
        let frame = self.frame_number()?;
        let params = json!({ "expression": expression, "frame": frame });
        let value = self.call("debug_evaluate", params)?;
        Ok(value["result"].as_str().unwrap_or_default().to_owned())
    }

    fn list(&self) -> Result<(), Failed> {
        let stop = self.stop.as_ref().ok_or("the program does not run: `run` starts it")?;
        let (Some(file), Some(line)) = (stop["file"].as_str(), stop["line"].as_u64()) else {
            return Err("where it stands, there is no source".to_owned());
        };
        let snapshot = self.workspace.snapshot();
        let read = snapshot.locate_to_read(file).and_then(|path| snapshot.read(&path));
        let text = read.map_err(|error| error.to_string())?.text;
        let last = (line + AROUND).min(text.line_count() as u64);
        for number in line.saturating_sub(AROUND).max(1)..=last {
            let mark = if number == line { '>' } else { ' ' };
            let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
            say!("{mark}{number:5} {}", text.line(index).trim_end());
        }
        Ok(())
    }
}

fn worded(error: &ToolError) -> String {
    match &error.hint {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message.clone(),
    }
}
