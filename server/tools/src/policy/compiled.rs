//! The lists of the settings, ready to be asked.

use super::command::{CommandRule, is_like};
use super::globs::Paths;
use super::settings::Lists;
use crate::EffectKind;
use crate::tool_names::ToolNames;

/// The lists of one verdict in one file.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) read: Paths,
    pub(super) write: Paths,
    pub(super) delete: Paths,
    pub(super) run: Vec<CommandRule>,
    pub(super) run_unconfined: Vec<CommandRule>,
    pub(super) network: Vec<String>,
    pub(super) admin: Vec<String>,
    pub(super) tools: Vec<String>,
}

impl Compiled {
    pub(super) fn new(
        lists: &Lists,
        names: &ToolNames,
        ignores_case: bool,
    ) -> Result<Self, String> {
        let commands = |rules: &[_]| rules.iter().map(CommandRule::new).collect::<Result<_, _>>();
        for tool in &lists.tools {
            if !names.canonical_names().any(|name| is_like(tool, name)) {
                let nearest = names.nearest(tool).unwrap_or_default();
                return Err(format!(
                    "unknown tool `{tool:.60}`; did you mean `{nearest}`? \
                     Use canonical names here"
                ));
            }
        }
        Ok(Self {
            read: Paths::new(&lists.read, ignores_case)?,
            write: Paths::new(&lists.write, ignores_case)?,
            delete: Paths::new(&lists.delete, ignores_case)?,
            run: commands(&lists.run)?,
            run_unconfined: commands(&lists.run_unconfined)?,
            network: lists.network.clone(),
            admin: lists.admin.clone(),
            tools: lists.tools.clone(),
        })
    }

    /// The lists of paths that speak of an effect, with their keys. Who may not read a file may not
    /// change it, who may not change it may not delete it.
    pub(super) fn against(&self, kind: EffectKind) -> Vec<(&'static str, &Paths)> {
        let all = [("read", &self.read), ("write", &self.write), ("delete", &self.delete)];
        let count = match kind {
            EffectKind::Read => 1,
            EffectKind::Write => 2,
            EffectKind::Delete => 3,
            _ => 0,
        };
        all[..count].to_vec()
    }

    pub(super) fn in_favour(&self, kind: EffectKind) -> Option<&Paths> {
        match kind {
            EffectKind::Read => Some(&self.read),
            EffectKind::Write => Some(&self.write),
            EffectKind::Delete => Some(&self.delete),
            _ => None,
        }
    }

    pub(super) fn named(&self, kind: EffectKind) -> &[String] {
        match kind {
            EffectKind::Network => &self.network,
            EffectKind::Admin => &self.admin,
            _ => &[],
        }
    }
}
