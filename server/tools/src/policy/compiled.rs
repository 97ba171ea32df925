//! The rule lists of the settings, compiled for matching.

use super::command::{CommandRule, matches_wildcard};
use super::globs::PathPatterns;
use super::settings::RuleSettings;
use crate::EffectKind;
use crate::tool_names::ToolNames;

/// The rules of one verdict (`deny`, `ask` or `allow`) in one settings file.
#[derive(Debug, Clone, Default)]
pub(super) struct CompiledRules {
    pub(super) read: PathPatterns,
    pub(super) write: PathPatterns,
    pub(super) delete: PathPatterns,
    pub(super) run: Vec<CommandRule>,
    pub(super) run_unconfined: Vec<CommandRule>,
    pub(super) network: Vec<String>,
    pub(super) admin: Vec<String>,
    pub(super) tools: Vec<String>,
}

impl CompiledRules {
    pub(super) fn new(
        lists: &RuleSettings,
        names: &ToolNames,
        ignores_case: bool,
    ) -> Result<Self, String> {
        let commands = |rules: &[_]| rules.iter().map(CommandRule::new).collect::<Result<_, _>>();
        for tool in &lists.tools {
            if !names.canonical_names().any(|name| matches_wildcard(tool, name)) {
                let nearest = names.nearest(tool).unwrap_or_default();
                return Err(format!(
                    "unknown tool `{tool:.60}`; did you mean `{nearest}`? \
                     Use canonical names here"
                ));
            }
        }
        Ok(Self {
            read: PathPatterns::new(&lists.read, ignores_case)?,
            write: PathPatterns::new(&lists.write, ignores_case)?,
            delete: PathPatterns::new(&lists.delete, ignores_case)?,
            run: commands(&lists.run)?,
            run_unconfined: commands(&lists.run_unconfined)?,
            network: lists.network.clone(),
            admin: lists.admin.clone(),
            tools: lists.tools.clone(),
        })
    }

    /// The path lists that restrict an effect, with their settings keys. A rule against reading
    /// also applies to writing and deleting, one against writing also to deleting.
    pub(super) fn restricting(&self, kind: EffectKind) -> Vec<(&'static str, &PathPatterns)> {
        let all = [("read", &self.read), ("write", &self.write), ("delete", &self.delete)];
        let count = match kind {
            EffectKind::Read => 1,
            EffectKind::Write => 2,
            EffectKind::Delete => 3,
            _ => 0,
        };
        all[..count].to_vec()
    }

    pub(super) fn allowing(&self, kind: EffectKind) -> Option<&PathPatterns> {
        match kind {
            EffectKind::Read => Some(&self.read),
            EffectKind::Write => Some(&self.write),
            EffectKind::Delete => Some(&self.delete),
            _ => None,
        }
    }

    pub(super) fn names(&self, kind: EffectKind) -> &[String] {
        match kind {
            EffectKind::Network => &self.network,
            EffectKind::Admin => &self.admin,
            _ => &[],
        }
    }
}
