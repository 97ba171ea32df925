//! Terraform and OpenTofu: which is used, and how it is run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use process::{Captured, ExitStatus, KillReason, OutputStream, has_program};
use tools::{Code, Context, Effect, InfrastructureProgram, ProgramOutcome, ProgramRun, ToolError};

use crate::limits::{APPLY_GRACE, MAX_CAPTURED_BYTES, MAX_JSON_BYTES};

/// The program for the `tool` that a call names.
///
/// # Errors
/// `E_UNSUPPORTED` for tools whose plans cannot be approved and applied as such, `E_UNAVAILABLE` if it is not
/// installed.
pub(crate) fn program(
    context: &Context<'_>,
    tool: &'static str,
    named: Option<&str>,
) -> Result<&'static str, ToolError> {
    let unsupported = |why: &str, hint: &str| {
        Err(ToolError::new(Code::Unsupported, format!("{tool}: {why}")).hint(hint))
    };
    let chosen = context.session.policy.infrastructure().program;
    let name = match named.map(str::to_ascii_lowercase).as_deref() {
        None | Some("terraform") => match chosen {
            Some(program) => program.name(),
            None => ["terraform", "tofu"]
                .into_iter()
                .find(|name| has_program(name))
                .unwrap_or("terraform"),
        },
        Some("tofu" | "opentofu") => InfrastructureProgram::Tofu.name(),
        Some("pulumi") => {
            return unsupported(
                "Pulumi has no plan that it promises to keep to: `pulumi up` computes its changes anew",
                "run `pulumi preview` by run_command",
            );
        }
        Some("helm") => {
            return unsupported(
                "a chart's release is no plan that can be stored",
                "render it by `helm template` with run_command, then pass the manifests to kube_diff and kube_apply",
            );
        }
        Some(other) => {
            let message = format!(
                "{tool}: `tool`: `{other:.40}` is none of terraform, tofu, helm and pulumi"
            );
            return Err(ToolError::new(Code::InvalidParams, message));
        }
    };
    if !has_program(name) {
        let message = format!("{tool}: `{name}` is not on the PATH");
        let hint = "install OpenTofu (https://opentofu.org/docs/intro/install) or Terraform \
                    (https://developer.hashicorp.com/terraform/install)";
        return Err(ToolError::new(Code::Unavailable, message).hint(hint));
    }
    Ok(name)
}

/// A command of the program in a configuration's folder. The same value is used for the effects and for the run.
pub(crate) struct ProgramCall<'c> {
    pub(crate) tool: &'static str,
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    /// The configuration's folder.
    pub(crate) cwd: &'c str,
    pub(crate) network: bool,
    /// Folders outside the workspace that it may write.
    pub(crate) writable: Vec<PathBuf>,
}

/// What a command printed.
pub(crate) struct Printed {
    /// Whether it ended well.
    pub(crate) is_success: bool,
    /// Whether its time was up.
    pub(crate) is_timeout: bool,
    /// Its standard output, if that was wanted.
    pub(crate) output: Vec<u8>,
    /// The end of what it printed otherwise, for messages.
    pub(crate) errors: String,
}

impl ProgramCall<'_> {
    /// The effects of running it.
    ///
    /// # Errors
    /// If its folder cannot be reached.
    pub(crate) fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        let env = environment(self.network);
        self.run_of(&env, false).effects(context)
    }

    /// Runs it and returns its standard output whole.
    ///
    /// # Errors
    /// If it does not start, or prints more than [`MAX_JSON_BYTES`].
    pub(crate) fn output(
        &self,
        context: &Context<'_>,
        timeout: Duration,
    ) -> Result<Printed, ToolError> {
        let env = environment(self.network);
        let (mut output, mut is_cut) = (Vec::new(), false);
        let run = self.run_of(&env, false);
        let outcome = run.run(context, timeout, MAX_CAPTURED_BYTES, &mut |stream, bytes| {
            if stream == OutputStream::Stdout {
                is_cut |= output.len() + bytes.len() > MAX_JSON_BYTES;
                if !is_cut {
                    output.extend_from_slice(bytes);
                }
            }
        })?;
        if is_cut {
            let message =
                format!("{}: `{}` prints more than {MAX_JSON_BYTES} bytes", self.tool, run.line());
            return Err(
                ToolError::new(Code::TooLarge, message).hint("plan a part of it by `targets`")
            );
        }
        Ok(printed(&outcome, output))
    }

    /// Runs it; `line` gets every line of its output.
    ///
    /// # Errors
    /// If it does not start.
    pub(crate) fn lines(
        &self,
        context: &Context<'_>,
        timeout: Duration,
        line: &mut dyn FnMut(&[u8]),
    ) -> Result<Printed, ToolError> {
        let env = environment(self.network);
        let mut lines = crate::events::Lines::default();
        let outcome = self.run_of(&env, true).run_gracefully(
            context,
            timeout,
            APPLY_GRACE,
            MAX_CAPTURED_BYTES,
            &mut |_, bytes| lines.push(bytes, line),
        )?;
        lines.finish(line);
        Ok(printed(&outcome, Vec::new()))
    }

    fn run_of<'r>(
        &'r self,
        env: &'r BTreeMap<String, String>,
        joins_streams: bool,
    ) -> ProgramRun<'r> {
        ProgramRun {
            tool: self.tool,
            words: &self.words,
            cwd: self.cwd,
            env,
            network: self.network,
            writable: &self.writable,
            joins_streams,
        }
    }
}

/// Without the network it needs no variables, and rules can allow the command. With it, it must not report to its
/// maker that it runs.
fn environment(network: bool) -> BTreeMap<String, String> {
    if network {
        [("CHECKPOINT_DISABLE".to_owned(), "1".to_owned())].into()
    } else {
        BTreeMap::new()
    }
}

fn printed(outcome: &ProgramOutcome, output: Vec<u8>) -> Printed {
    let ended = &outcome.outcome;
    Printed {
        is_success: ended.stop.is_none() && ended.status == ExitStatus::Code(0),
        is_timeout: ended.stop == Some(KillReason::Timeout),
        output,
        errors: end_of(&ended.stderr, &ended.stdout),
    }
}

/// Longest end of an output in a message, in characters.
const MAX_ERROR_CHARS: usize = 600;

/// The end of the standard error. The standard output may be a state, so it is never shown.
fn end_of(errors: &Captured, _: &Captured) -> String {
    let mut text = String::from_utf8_lossy(&errors.head).into_owned();
    text.push_str(&String::from_utf8_lossy(&errors.tail));
    let plain: String = text.chars().filter(|c| !c.is_control() || *c == '\n').collect();
    let skipped = plain.chars().count().saturating_sub(MAX_ERROR_CHARS);
    plain.chars().skip(skipped).collect::<String>().trim().to_owned()
}
