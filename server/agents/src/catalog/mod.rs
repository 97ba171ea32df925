//! `catalog`: what an agent can use here.

mod installed;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Described, Effect, EffectKind, Tool, ToolError, ranked};

use self::installed::installed_agents;
pub(crate) use self::installed::{AgentProgram, AgentPrograms, is_installed};
use crate::library::{Kind, documents};

pub(crate) struct Catalog;

/// Entries that a search returns.
const MAX_FOUND: usize = 10;
/// A result that scores less than this share of the best one is left out.
const MIN_SHARE: f64 = 0.4;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only `agents`, `skills`, `runbooks`, `workflows` or `tools`.
    #[serde(default)]
    category: Option<String>,
    /// Only what has to do with these words, the best first.
    #[serde(default)]
    query: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What there is.
    entries: Vec<CatalogEntry>,
}

#[derive(Clone, Serialize, JsonSchema)]
struct CatalogEntry {
    /// `agents`, `skills`, `runbooks`, `workflows` or `tools`.
    category: Category,
    /// Its name.
    name: String,
    /// What it is for, in a sentence.
    description: String,
    /// How to use it: a call, or a file to read.
    usage: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Category {
    Agents,
    Skills,
    Runbooks,
    Workflows,
    Tools,
}

impl Category {
    const ALL: [Self; 5] =
        [Self::Agents, Self::Skills, Self::Runbooks, Self::Workflows, Self::Tools];

    fn as_str(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::Skills => "skills",
            Self::Runbooks => "runbooks",
            Self::Workflows => "workflows",
            Self::Tools => "tools",
        }
    }

    /// Singular and plural are accepted.
    fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        Self::ALL.into_iter().find(|one| one.as_str() == name || one.as_str() == format!("{name}s"))
    }
}

impl Tool for Catalog {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "catalog";
    const DESCRIPTION: &'static str = "List what can be used here: installed and defined agents, skills, \
        runbooks, workflows and tools, each with how to use it. Search it by `query`, or choose a `category`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("type", "category"), ("kind", "category"), ("search", "query")];
    const EXAMPLES: &'static [&'static str] =
        &["{}", r#"{"category": "tools"}"#, r#"{"query": "undo an edit"}"#];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let category = match params.category.as_deref() {
            None => None,
            Some(name) => Some(Category::parse(name).ok_or_else(|| {
                let message = format!("{}: unknown category `{name:.40}`", Self::NAME);
                let names = Category::ALL.map(Category::as_str).join(", ");
                ToolError::new(Code::InvalidParams, message).hint(format!("there are {names}"))
            })?),
        };
        let mut entries = Vec::new();
        for one in Category::ALL {
            if category.is_none_or(|chosen| chosen == one) {
                entries.extend(entries_of(context, one)?);
            }
        }
        if let Some(query) = &params.query {
            entries = search(&entries, query);
        }
        Ok(Output { entries })
    }
}

fn entries_of(context: &Context<'_>, category: Category) -> Result<Vec<CatalogEntry>, ToolError> {
    let of_documents = |kind: Kind, usage: fn(&str, &str) -> String| {
        let entries =
            documents(context, Catalog::NAME, kind)?.into_iter().map(|document| CatalogEntry {
                category,
                usage: usage(&document.name, &document.path),
                description: document.description.unwrap_or(document.title),
                name: document.name,
            });
        Ok(entries.collect::<Vec<_>>())
    };
    match category {
        Category::Agents => {
            let mut agents = installed_agents(context.session);
            agents
                .extend(of_documents(Kind::Agent, |_, path| format!("its instructions: {path}"))?);
            Ok(agents)
        }
        Category::Skills => of_documents(Kind::Skill, |_, path| format!("read {path}")),
        Category::Runbooks => of_documents(Kind::Runbook, |name, _| format!("get_runbook {name}")),
        Category::Workflows => of_documents(Kind::Workflow, |name, _| {
            format!("workflow {{\"workflow\": \"{name}\", \"dry_run\": true}}")
        }),
        Category::Tools => {
            let tools = tools::registry().iter().map(|tool| CatalogEntry {
                category,
                name: tool.name.to_owned(),
                description: tool.summary().to_owned(),
                usage: tools::signature(&tool.listed_schema),
            });
            Ok(tools.collect())
        }
    }
}

fn search(entries: &[CatalogEntry], query: &str) -> Vec<CatalogEntry> {
    let described: Vec<Described> = entries
        .iter()
        .map(|entry| Described::default().with(&entry.name, 3.0).with(&entry.description, 1.0))
        .collect();
    let ranked = ranked(query, &described);
    let best = ranked.first().map_or(0.0, |(_, score)| *score);
    let found = ranked.iter().filter(|(_, score)| *score >= best * MIN_SHARE).take(MAX_FOUND);
    found.map(|(index, _)| entries[*index].clone()).collect()
}

/// Entries by category. Many are listed by name only.
fn text(result: &Value) -> String {
    const MAX_DESCRIBED: usize = 20;
    let entries = result["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let field = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let mut lines = Vec::new();
    for group in entries.chunk_by(|one, other| one["category"] == other["category"]) {
        lines.push(format!("{}:", field(&group[0], "category")));
        if group.len() > MAX_DESCRIBED {
            let names: Vec<String> = group.iter().map(|entry| field(entry, "name")).collect();
            lines.push(format!("  {}", names.join(", ")));
            continue;
        }
        lines.extend(group.iter().map(|entry| {
            let [name, description, usage] =
                ["name", "description", "usage"].map(|part| field(entry, part));
            format!("  {name}: {description} [{usage}]")
        }));
    }
    if lines.is_empty() { "there are none".to_owned() } else { lines.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_in_singular_and_plural() {
        assert_eq!(Category::parse("agents"), Some(Category::Agents));
        assert_eq!(Category::parse(" Skill"), Some(Category::Skills));
        assert_eq!(Category::parse("nonsense"), None);
    }

    #[test]
    fn the_best_comes_first() {
        let entry = |name: &str, description: &str| CatalogEntry {
            category: Category::Runbooks,
            name: name.to_owned(),
            description: description.to_owned(),
            usage: String::new(),
        };
        let entries = [
            entry("rollback", "Undo a release"),
            entry("release", "Cut a release"),
            entry("pager", "On call"),
        ];
        let found = search(&entries, "make a release");
        let names: Vec<&str> = found.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names.first(), Some(&"release"));
        assert!(!names.contains(&"pager"), "{names:?}");
    }
}
