//! Which hosts the browser may reach: policy decides, during a call that can ask the person.
//!
//! The browser's connections arrive at any time; policy needs a call. A connection to a host that is not decided
//! yet waits for the running call, which takes up all that wait ([`Gate::decide`]). Without a call it is refused.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::oneshot;
use tools::{Code, Context, Effect, Target, ToolError, approve_more};

use crate::limits::{GATHER_HOSTS, MAX_HOSTS_TOGETHER, UNATTENDED_WAIT};

/// Decisions about hosts, for the life of a browser.
#[derive(Default)]
pub(crate) struct Gate(Mutex<State>);

#[derive(Default)]
struct State {
    allowed: HashSet<String>,
    /// With the reason.
    denied: HashMap<String, String>,
    waiting: Vec<Waiting>,
    /// Running calls.
    calls: usize,
    /// What was refused since the last report, with the reason.
    blocked: BTreeMap<String, String>,
}

struct Waiting {
    effects: Vec<Effect>,
    since: Instant,
    decided: oneshot::Sender<()>,
}

/// A running call: while it lives, connections wait for its decisions.
pub(crate) struct Attended<'g>(&'g Gate);

impl Drop for Attended<'_> {
    fn drop(&mut self) {
        self.0.0.lock().calls -= 1;
    }
}

impl Gate {
    pub(crate) fn attend(&self) -> Attended<'_> {
        self.0.lock().calls += 1;
        Attended(self)
    }

    /// Allows what policy has allowed.
    pub(crate) fn allow(&self, effect: &Effect) {
        let mut state = self.0.lock();
        state.denied.remove(name(effect));
        state.allowed.insert(name(effect).to_owned());
    }

    /// Waits until policy has decided on these effects of a connection.
    ///
    /// # Errors
    /// Says why it is refused.
    pub(crate) async fn permit(&self, effects: &[Effect]) -> Result<(), String> {
        loop {
            let mut decided = {
                let mut state = self.0.lock();
                let denied = effects.iter().find_map(|effect| {
                    let why = state.denied.get(name(effect))?.clone();
                    Some((name(effect).to_owned(), why))
                });
                if let Some((name, why)) = denied {
                    state.blocked.insert(name, why.clone());
                    return Err(why);
                }
                if effects.iter().all(|effect| state.allowed.contains(name(effect))) {
                    return Ok(());
                }
                let (decided, receiver) = oneshot::channel();
                let effects = effects.to_vec();
                state.waiting.push(Waiting { effects, since: Instant::now(), decided });
                receiver
            };
            loop {
                match tokio::time::timeout(UNATTENDED_WAIT, &mut decided).await {
                    Ok(_) => break,
                    Err(_) if self.0.lock().calls > 0 => {}
                    Err(_) => {
                        let why = "no call was running that could ask for approval".to_owned();
                        let names =
                            effects.iter().map(|effect| (name(effect).to_owned(), why.clone()));
                        self.0.lock().blocked.extend(names);
                        return Err(why);
                    }
                }
            }
        }
    }

    /// Lets policy decide on the hosts that connections wait for. May ask the person.
    ///
    /// # Errors
    /// If the call was cancelled meanwhile.
    pub(crate) fn decide(&self, context: &Context<'_>, tool: &str) -> Result<(), ToolError> {
        let (taken, effects) = {
            let mut state = self.0.lock();
            state.waiting.retain(|waiting| !waiting.decided.is_closed());
            let is_due = |waiting: &Waiting| waiting.since.elapsed() >= GATHER_HOSTS;
            if !state.waiting.iter().any(is_due) {
                return Ok(());
            }
            let taken = std::mem::take(&mut state.waiting);
            let mut effects: Vec<Effect> = Vec::new();
            for effect in taken.iter().flat_map(|waiting| &waiting.effects) {
                let is_new = !state.allowed.contains(name(effect))
                    && !state.denied.contains_key(name(effect))
                    && !effects.iter().any(|known| known.target == effect.target);
                if is_new {
                    effects.push(effect.clone());
                }
            }
            (taken, effects)
        };
        for together in effects.chunks(MAX_HOSTS_TOGETHER) {
            self.decide_on(context, tool, together)?;
        }
        for waiting in taken {
            // A connection may have been given up.
            let _ = waiting.decided.send(());
        }
        Ok(())
    }

    fn decide_on(
        &self,
        context: &Context<'_>,
        tool: &str,
        effects: &[Effect],
    ) -> Result<(), ToolError> {
        let hosts: Vec<&str> = effects.iter().map(name).collect();
        let error = match approve_more(context, tool, &json!({ "page_requests": hosts }), effects) {
            Ok(()) => {
                effects.iter().for_each(|effect| self.allow(effect));
                return Ok(());
            }
            Err(error) if error.code == Code::Cancelled => return Err(error),
            Err(error) => error,
        };
        // A rule that denies one host must not deny the others.
        if effects.len() > 1 && error.message.contains(": denied by ") {
            return effects.chunks(1).try_for_each(|one| self.decide_on(context, tool, one));
        }
        let mut state = self.0.lock();
        for host in hosts {
            state.denied.insert(host.to_owned(), error.message.clone());
        }
        Ok(())
    }

    /// Whether policy has denied any of these.
    pub(crate) fn is_denied<'n>(&self, mut names: impl Iterator<Item = &'n String>) -> bool {
        let state = self.0.lock();
        names.any(|name| state.denied.contains_key(name))
    }

    /// What was refused since the last call of this, with the reason.
    pub(crate) fn take_blocked(&self) -> BTreeMap<String, String> {
        std::mem::take(&mut self.0.lock().blocked)
    }

    /// Records a connection that failed.
    pub(crate) fn record_failure(&self, endpoint: &str, why: &str) {
        self.0.lock().blocked.insert(endpoint.to_owned(), why.to_owned());
    }
}

/// The name of a host in policy.
fn name(effect: &Effect) -> &str {
    match &effect.target {
        Target::Named(name) => name,
        _ => "",
    }
}
