//! `kill_process`: sends a signal to any process of the user.

use std::sync::Arc;

use process::{SupervisedProcess, signal_process};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session_processes::processes;
use super::signals::{KILL, SignalName, TERM, signal_name};
use tools::{Code, Context, Effect, EffectKind, Target, Tool, ToolError, describe_process};

pub(crate) struct KillProcess;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The process id.
    pid: u32,
    /// The signal, by name or number; `KILL` is 9.
    #[serde(default = "term")]
    signal: SignalName,
}

fn term() -> SignalName {
    SignalName::Number(TERM)
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the signal was sent.
    success: bool,
    /// The signal.
    sent: &'static str,
    /// The process, as it was approved.
    process: String,
}

impl Tool for KillProcess {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "kill_process";
    const DESCRIPTION: &'static str = "Send a signal to a process of the machine by its process id; \
        SIGTERM by default. It needs approval, unless `process_start` started the process.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    // The threads of tools cannot signal other processes.
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        let field = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
        Some(format!("sent {} to {}", field("sent"), field("process")))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.signal.number(Self::NAME)?;
        if ours(context, params.pid).is_some() {
            return Ok(Vec::new());
        }
        Ok(vec![params.effect()?])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let signal = params.signal.number(Self::NAME)?;
        if let Some(process) = ours(context, params.pid) {
            if signal == KILL {
                process.kill();
            } else {
                process.signal(signal).map_err(|error| not_sent(params.pid, &error))?;
            }
            let process = process.id().to_owned();
            return Ok(Output { success: true, sent: signal_name(signal), process });
        }
        let process = describe_process(Self::NAME, params.pid)?;
        // Once it is held by its pidfd, its description, which has its start time, must be the one
        // that was approved.
        let is_approved = || params.effect().is_ok_and(|effect| context.is_granted(&effect));
        match signal_process(params.pid, signal, is_approved) {
            Ok(true) => Ok(Output { success: true, sent: signal_name(signal), process }),
            Ok(false) => {
                let message =
                    format!("{}: process {} is another one by now", Self::NAME, params.pid);
                Err(ToolError::new(Code::Conflict, message).hint("`list_processes` lists them"))
            }
            Err(error) => Err(not_sent(params.pid, &error)),
        }
    }
}

impl Params {
    /// The effect, which names the process.
    fn effect(&self) -> Result<Effect, ToolError> {
        let described = describe_process(KillProcess::NAME, self.pid)?;
        let signal = signal_name(self.signal.number(KillProcess::NAME)?);
        let target = Target::Named(format!("process {}, signal {signal}: {described}", self.pid));
        Ok(Effect { kind: EffectKind::Admin, target, detail: None })
    }
}

/// The process of this session with this process id.
fn ours(context: &Context<'_>, pid: u32) -> Option<Arc<SupervisedProcess>> {
    let all = processes(context).supervisor.processes();
    all.into_iter().find(|one| one.pid() == Some(pid) && one.is_running())
}

fn not_sent(pid: u32, error: &std::io::Error) -> ToolError {
    let code = match error.kind() {
        std::io::ErrorKind::PermissionDenied => Code::Permission,
        _ => Code::Io,
    };
    ToolError::new(code, format!("{}: process {pid}: {error}", KillProcess::NAME))
}
