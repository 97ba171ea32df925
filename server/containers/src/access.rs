//! Which container a call means, and whether it is one of this workspace.

use tools::{Code, Context, Effect, ToolError};

use crate::client::{Client, Dial};
use crate::container::{Container, check_name, find};
use crate::daemon::Daemon;
use crate::effects::named;
use crate::limits::EARLY_TIMEOUT;

/// A container that a call names.
pub(crate) struct NamedContainer {
    pub(crate) daemon: Daemon,
    written: String,
    /// What the daemon of this machine says of it.
    pub(crate) known: Option<Container>,
}

impl NamedContainer {
    pub(crate) fn find(
        context: &Context<'_>,
        tool: &str,
        written: &str,
    ) -> Result<Self, ToolError> {
        check_name(tool, written)?;
        let daemon = Daemon::find(context, tool)?;
        let known = match daemon.early() {
            None => None,
            Some(dial) => {
                let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
                let found = client.run(EARLY_TIMEOUT, crate::container::inspect(&dial, written));
                Some(found.map_err(|failure| failure.of(tool))?)
            }
        };
        Ok(Self { daemon, written: written.to_owned(), known })
    }

    /// How effects name it: by its id, so that another one of the same name is another target.
    pub(crate) fn target(&self) -> String {
        match &self.known {
            Some(container) => format!("{} {:.12}", container.name(), container.id),
            None => self.written.clone(),
        }
    }

    /// What it may do, for approvals.
    pub(crate) fn description(&self) -> String {
        self.known
            .as_ref()
            .map_or_else(|| format!("container: {}", self.written), Container::description)
    }

    /// The effects of something that needs approval only for containers of others.
    pub(crate) fn effects_if_foreign(&self, context: &Context<'_>, what: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        if !self.known.as_ref().is_some_and(|container| container.is_ours(context)) {
            let detail = format!("{}\nThis workspace has not started it.", self.description());
            effects.push(named(format!("container/{what}/{}", self.target()), detail));
        }
        effects.extend(self.daemon.effects());
        effects
    }

    /// The container as it is now: the one that was found before.
    pub(crate) fn now(
        &self,
        client: &Client<'_>,
        dial: &Dial,
        tool: &str,
    ) -> Result<Container, ToolError> {
        let name =
            self.known.as_ref().map_or(self.written.as_str(), |container| container.id.as_str());
        find(client, dial, tool, name)
    }
}

/// Refuses to act on another container than the one that policy has decided on.
pub(crate) fn check_granted(
    context: &Context<'_>,
    tool: &str,
    effects: &[Effect],
) -> Result<(), ToolError> {
    if effects.iter().all(|effect| context.is_granted(effect)) {
        return Ok(());
    }
    let message = format!("{tool}: this is another container by now; nothing was done");
    Err(ToolError::new(Code::Conflict, message).hint("call it again"))
}
