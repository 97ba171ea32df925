//! Records one call while it runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Audit;
use super::activity::{activity, files, title};
use super::condense::{condensed, short};
use super::log::entry;
use super::store::{AuditRow, Phase};
use crate::{Caller, Effect, EffectKind, Target, ToolError};

/// One call.
pub(crate) struct Record<'a> {
    audit: &'a Audit,
    call: String,
    time: i64,
    started: Instant,
    body: Body,
    ended: bool,
}

/// The JSON part of a row, which is not searched.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Body {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) front_end: String,
    /// The client's name, if it gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<String>,
    /// The W3C `traceparent` that came with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<String>,
    #[serde(default)]
    pub(super) process: u32,
    /// The alias or unknown name by which it was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) called: Option<String>,
    #[serde(default)]
    pub(super) arguments: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) effects: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Digested>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) action: Option<String>,
    #[serde(default)]
    pub(super) duration_us: u64,
    /// What it does, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) title: String,
    /// URIs of the files concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<String>,
}

/// Hash and size of a result.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Digested {
    /// SHA-256 of the result's JSON on one line.
    pub sha256: String,
    /// Its length in bytes.
    pub size: usize,
}

impl Digested {
    /// Hashes `result` as it is sent, without a copy.
    pub(crate) fn from_value(result: &Value) -> Self {
        struct Sink(Sha256, usize);
        impl std::io::Write for Sink {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.update(bytes);
                self.1 += bytes.len();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut sink = Sink(Sha256::new(), 0);
        // Writing to a hasher does not fail.
        let _ = serde_json::to_writer(&mut sink, result);
        let sha256 = sink.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { sha256, size: sink.1 }
    }
}

/// Limit for the listed effects of one call.
const MAX_EFFECTS: usize = 50;
pub(super) const OK: &str = "ok";
pub(super) const UNFINISHED: &str = "unfinished";

impl<'a> Record<'a> {
    /// Starts the record of a call of the tool `name`.
    pub(crate) fn new(audit: &'a Audit, caller: &Caller, name: &str, params: &Value) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let time = Timestamp::now().as_microsecond();
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let own = audit.front_end.get().copied().unwrap_or_default();
        let front_end = if caller.front_end.is_empty() { own } else { caller.front_end };
        let body = Body {
            front_end: front_end.to_owned(),
            client: caller.client.as_deref().map(short),
            trace: caller.trace.clone(),
            process,
            called: Some(short(name)),
            arguments: condensed(params),
            ..Body::default()
        };
        let call = format!("{process:x}-{time:x}-{count:x}");
        Self { audit, call, time, started: Instant::now(), body, ended: false }
    }

    /// Sets the effects, before policy decides.
    pub(crate) fn set_effects(&mut self, effects: &[Effect]) {
        self.body.effects = effects.iter().take(MAX_EFFECTS).map(effect_summary).collect();
        if effects.len() > MAX_EFFECTS {
            self.body.effects.push(format!("[left out: {}]", effects.len() - MAX_EFFECTS));
        }
        self.body.title = title(self.tool(), effects);
        self.body.files = files(effects);
        self.notify(UNFINISHED);
    }

    /// Notes that policy has allowed the call. If it does more than read, it is recorded before
    /// this returns.
    ///
    /// # Errors
    /// If it runs a program and cannot be recorded: then the program must not run.
    pub(crate) fn set_allowed(
        &mut self,
        effects: &[Effect],
        decision: &str,
    ) -> Result<(), ToolError> {
        self.body.decision = Some(short(decision));
        if effects.iter().any(|effect| effect.kind != EffectKind::Read) {
            self.body.duration_us = self.elapsed();
            self.write(Phase::Begun, UNFINISHED);
            let written = self.audit.writer().flush();
            let runs = effects.iter().any(|effect| effect.kind == EffectKind::Execute);
            if let (true, Err(why)) = (runs, written) {
                let message = format!(
                    "{}: programs run only if the call can be recorded: {why}",
                    self.tool()
                );
                return Err(ToolError::new(crate::Code::Unavailable, message)
                    .hint("run `tandem doctor` to check the state folder"));
            }
        }
        Ok(())
    }

    /// Notes that policy has denied the call.
    pub(crate) fn set_denied(&mut self, error: &ToolError) {
        self.body.decision = Some(format!("denied: {}", short(&error.message)));
    }

    /// Completes the record.
    pub(crate) fn end(mut self, result: Result<(&Value, Digested), &ToolError>) {
        let outcome = match result {
            Ok((value, digest)) => {
                self.body.result = Some(digest);
                self.body.action = value["action"].as_str().map(str::to_owned);
                OK
            }
            Err(error) => {
                self.body.message = Some(short(&error.message));
                error.code.as_str()
            }
        };
        self.finish(outcome);
    }

    fn finish(&mut self, outcome: &str) {
        self.ended = true;
        self.body.duration_us = self.elapsed();
        self.write(Phase::Done, outcome);
        self.notify(outcome);
    }

    /// Notifies those who follow the activities.
    fn notify(&self, outcome: &str) {
        let news = || activity(&self.call, self.tool(), self.time, outcome, &self.body);
        self.audit.activities.publish(news);
    }

    /// The tool's canonical name, or the unknown name that was called.
    fn tool(&self) -> &str {
        let called = self.body.called.as_deref().unwrap_or_default();
        self.audit.names.canonical(called).unwrap_or(called)
    }

    fn write(&self, phase: Phase, outcome: &str) {
        let mut body = self.body.clone();
        let called = body.called.take().unwrap_or_default();
        let tool = self.audit.names.canonical(&called).unwrap_or(called.as_str()).to_owned();
        body.called = (tool != called).then_some(called);
        let row = AuditRow {
            call: self.call.clone(),
            phase,
            time: self.time,
            tool,
            outcome: outcome.to_owned(),
            body: serde_json::to_string(&body).unwrap_or_default(),
        };
        self.audit.entries.publish(|| entry(&row));
        self.audit.writer().write(row);
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.body.message = Some("the call broke off: a defect of the server".to_owned());
            self.finish(crate::Code::Internal.as_str());
        }
    }
}

fn effect_summary(effect: &Effect) -> String {
    let kind = effect.kind.as_str();
    match &effect.target {
        Target::Path(path) => format!("{kind} {}", short(&path.display_path())),
        Target::Tree(path) => format!("{kind} {}/**", short(&path.display_path())),
        Target::Repository(path) => {
            format!("{kind} the repository {}", short(&path.to_string_lossy()))
        }
        Target::Command(command) => {
            let names: Vec<_> = command.env.iter().map(|(name, _)| short(name)).collect();
            let with = if names.is_empty() {
                String::new()
            } else {
                format!(" with {}", names.join(", "))
            };
            format!(
                "{kind} `{}` in {}{with}{}{}",
                short(&command.line),
                short(&command.cwd.display_path()),
                if command.network { ", with network" } else { "" },
                if command.sandbox { "" } else { ", without sandbox" },
            )
        }
        Target::Named(name) => format!("{kind} {}", short(name)),
    }
}
