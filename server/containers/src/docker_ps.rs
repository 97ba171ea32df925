//! `docker_ps`: the containers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Context, Effect, EffectKind, Target, Tool, ToolError};

use crate::client::{Client, path};
use crate::container::or_default;
use crate::daemon::Daemon;
use crate::failure::printable;
use crate::labels;
use crate::limits::{LISTED, QUERY_TIMEOUT};

pub(crate) struct DockerPs;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Lists all containers of the machine, not only those that this workspace has started.
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The containers, the newest first; those that have ended as well.
    containers: Vec<ListedContainer>,
    /// How many there are, with those that are left out.
    total: usize,
}

/// A container in a list.
#[derive(Serialize, JsonSchema)]
struct ListedContainer {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// Its image.
    image: String,
    /// `running`, `exited`, or another state of the daemon.
    status: String,
    /// The same in the daemon's words, with the time.
    since: String,
    /// Ports that are reached from outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ports: Vec<String>,
    /// Whether this workspace has started it.
    ours: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct Summary {
    id: String,
    #[serde(deserialize_with = "or_default")]
    names: Vec<String>,
    image: String,
    state: String,
    status: String,
    #[serde(deserialize_with = "or_default")]
    labels: BTreeMap<String, String>,
    #[serde(deserialize_with = "or_default")]
    ports: Vec<PublishedPort>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct PublishedPort {
    #[serde(rename = "IP")]
    ip: String,
    private_port: u16,
    public_port: u16,
    #[serde(rename = "Type")]
    protocol: String,
}

impl Tool for DockerPs {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "docker_ps";
    const DESCRIPTION: &'static str = "List the containers that this workspace has started, running or ended; with `all` every container of the machine.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Network];
    const IDEMPOTENT: bool = true;

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        for container in result["containers"].as_array()? {
            let field = |name: &str| container[name].as_str().unwrap_or_default();
            let ports: Vec<&str> = container["ports"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let ports =
                if ports.is_empty() { String::new() } else { format!(" {}", ports.join(", ")) };
            let id = field("id");
            let id = id.get(..12).unwrap_or(id);
            web::push(
                &mut text,
                format_args!("{id} {} {} {}{ports}", field("name"), field("image"), field("since")),
            );
        }
        let (listed, total) =
            (result["containers"].as_array()?.len(), result["total"].as_u64().unwrap_or_default());
        if text.is_empty() {
            web::push(&mut text, "no containers");
        } else if total > listed as u64 {
            web::push(&mut text, format_args!("[{listed} of {total}]"));
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let mut effects = Daemon::find(context, Self::NAME)?.effects();
        if params.all {
            let target = Target::Named("the machine's containers".to_owned());
            effects.push(Effect { kind: EffectKind::Read, target, detail: None });
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let dial = Daemon::find(context, tool)?.dial(context, tool)?;
        let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
        let own = labels::workspace(context);
        let filters = json!({ "label": [format!("{}={own}", labels::WORKSPACE)] }).to_string();
        let mut query = vec![("all", "1")];
        if !params.all {
            query.push(("filters", &filters));
        }
        let path = path("/containers/json", &query);
        let found: Vec<Summary> =
            client.run(QUERY_TIMEOUT, dial.get(&path)).map_err(|failure| failure.of(tool))?;
        let is_own = |one: &Summary| one.labels.get(labels::WORKSPACE) == Some(&own);
        // A daemon that does not know the filter must not show the containers of others.
        let found: Vec<Summary> =
            found.into_iter().filter(|one| params.all || is_own(one)).collect();
        let total = found.len();
        let listed = |one: Summary| ListedContainer {
            ours: is_own(&one),
            image: printable(one.labels.get(labels::IMAGE).unwrap_or(&one.image)),
            name: printable(one.names.first().map_or("", |name| name.trim_start_matches('/'))),
            status: printable(&one.state),
            since: printable(&one.status),
            ports: one
                .ports
                .iter()
                .filter(|port| port.public_port != 0)
                .take(20)
                .map(PublishedPort::text)
                .collect(),
            id: printable(&one.id),
        };
        Ok(Output { containers: found.into_iter().take(LISTED).map(listed).collect(), total })
    }
}

impl PublishedPort {
    fn text(&self) -> String {
        printable(&format!(
            "{}:{}->{}/{}",
            self.ip, self.public_port, self.private_port, self.protocol
        ))
    }
}
