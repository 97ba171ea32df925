//! Profiles: which tools an agent sees in `tools/list`. The built-in ones are in `profiles.toml`; a person
//! adds their own in their settings.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;
use workspace::Snapshot;

use crate::discovery::{CALL_TOOL, FIND_TOOLS};
use crate::policy::{ListedToolSettings, ProfileSettings, mcp_settings};
use crate::registry::{find, registry};
use crate::{Entry, family, schema};

/// The profile of agents that choose none.
const DEFAULT: &str = "core";
/// How deep profiles may extend each other.
const MAX_DEPTH: usize = 8;

type Profiles = BTreeMap<String, ProfileSettings>;

/// A tool of a profile.
pub struct ListedTool {
    /// The tool.
    pub tool: &'static Entry,
    /// JSON Schema of its listed parameters.
    pub input_schema: Value,
}

/// The tools that one client sees. They stay the same for a connection's life.
pub struct Profile {
    /// The tools, in listing order.
    pub tools: Vec<ListedTool>,
    /// Whether the schemas of results are listed.
    pub output_schemas: bool,
}

impl Profile {
    /// The profile of this name; without one, that of the person's settings, or `core`.
    ///
    /// # Errors
    /// If there is no such profile, or it names unknown tools.
    pub fn choose(snapshot: &Snapshot, name: Option<&str>) -> Result<Self, String> {
        let settings = mcp_settings(snapshot);
        let chosen = name.or(settings.profile.as_deref()).unwrap_or(DEFAULT);
        Self::named(chosen, &settings.profiles)
    }

    /// The profile of this name; `own` are a person's profiles, which come before the built-in ones.
    ///
    /// # Errors
    /// As [`choose`](Self::choose).
    pub fn named(name: &str, own: &Profiles) -> Result<Self, String> {
        let mut profile = Self { tools: Vec::new(), output_schemas: false };
        profile.add(name, own, MAX_DEPTH)?;
        for name in [FIND_TOOLS, CALL_TOOL] {
            profile.add_tool(name, None)?;
        }
        Ok(profile)
    }

    fn add(&mut self, name: &str, own: &Profiles, depth: usize) -> Result<(), String> {
        let Some(settings) = own.get(name).or_else(|| built_in().get(name)) else {
            let known: Vec<&str> =
                built_in().keys().chain(own.keys()).map(String::as_str).collect();
            return Err(format!(
                "no profile is called `{name:.60}`; there are {}",
                known.join(", ")
            ));
        };
        if depth == 0 {
            return Err(format!("profile `{name:.60}`: profiles extend each other in a circle"));
        }
        for base in &settings.extends {
            // A person's own profile may extend the built-in one of its name.
            let none = Profiles::new();
            self.add(base, if base == name { &none } else { own }, depth - 1)?;
        }
        self.output_schemas |= settings.output_schemas;
        for tool in &settings.tools {
            let added = match tool {
                ListedToolSettings::Name(all) if all == "*" => {
                    registry().iter().try_for_each(|tool| self.add_tool(tool.name, None))
                }
                ListedToolSettings::Name(name) => self.add_tool(name, None),
                ListedToolSettings::Some(some) => self.add_tool(&some.name, Some(&some.parameters)),
            };
            added.map_err(|why| format!("profile `{name:.60}`: {why}"))?;
        }
        self.tools.retain(|listed| !settings.except.iter().any(|name| name == listed.tool.name));
        Ok(())
    }

    fn add_tool(&mut self, name: &str, parameters: Option<&Vec<String>>) -> Result<(), String> {
        let Some(tool) = find(name) else {
            return match family::not_built_in(name) {
                Some(_) => Ok(()),
                None => Err(format!("no tool is called `{name:.60}`")),
            };
        };
        let input_schema = match parameters {
            Some(names) => schema::with_properties(&tool.listed_schema, names),
            None => tool.listed_schema.clone(),
        };
        if !self.tools.iter().any(|listed| listed.tool.name == tool.name) {
            self.tools.push(ListedTool { tool, input_schema });
        }
        Ok(())
    }
}

fn built_in() -> &'static Profiles {
    static PROFILES: OnceLock<Profiles> = OnceLock::new();
    PROFILES.get_or_init(|| {
        toml::from_str(include_str!("profiles.toml"))
            .inspect_err(|error| tracing::error!("profiles.toml: {error}"))
            .unwrap_or_default()
    })
}
