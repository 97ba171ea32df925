//! What a container is to be, as the daemon gets it, and what policy has to decide on.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tools::{Code, Context, Effect, GuardedBefore, ToolError};

use crate::client::{Client, Dial};
use crate::container;
use crate::daemon::Daemon;
use crate::devices::Device;
use crate::effects::{any_host, digest, host_network, named, privileged};
use crate::image::{self, Image};
use crate::labels;
use crate::limits::{
    CPUS, EARLY_TIMEOUT, LOG_SIZE, MAX_MEMORY_MB, MAX_PROCESSES, MEMORY_MB, MIN_MEMORY_MB, PARTS,
    PROCESSES,
};
use crate::mounts::{Mount, mounts_json};
use crate::parameters::timeout;
use crate::ports::Port;
use crate::run_params::{Network, Params, TOOL};
use crate::started::StartedContainers;

/// A container that is to be started.
pub(crate) struct RunPlan {
    pub(crate) daemon: Daemon,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) effects: Vec<Effect>,
    /// The guarded places, if it may write to the workspace.
    pub(crate) before: Option<GuardedBefore>,
    /// The image, if the daemon has it.
    image: Option<Image>,
    body: Value,
}

/// Limits of a container.
struct Limits {
    memory_mb: u64,
    cpus: f64,
    processes: u32,
}

impl RunPlan {
    pub(crate) fn new(context: &Context<'_>, params: &Params) -> Result<Self, ToolError> {
        check(params)?;
        image::check_name(TOOL, &params.image)?;
        params.name.as_deref().map_or(Ok(()), |name| container::check_name(TOOL, name))?;
        params.ready.as_ref().map_or(Ok(()), |ready| ready.check(TOOL))?;
        let daemon = Daemon::find(context, TOOL)?;
        let mount = |written: &String| Mount::parse(context, TOOL, &daemon, written);
        let mounts = params.volumes.iter().map(mount).collect::<Result<Vec<_>, _>>()?;
        let ports = params
            .ports
            .iter()
            .map(|port| Port::parse(TOOL, port))
            .collect::<Result<Vec<_>, _>>()?;
        let devices = params.devices.iter().map(|device| Device::parse(TOOL, device));
        let devices = devices.collect::<Result<Vec<_>, _>>()?;
        let network = params.network.unwrap_or(if ports.is_empty() {
            Network::None
        } else {
            Network::Bridge
        });
        if !ports.is_empty() && network != Network::Bridge {
            return Err(invalid("`ports` need the network `bridge`"));
        }
        let limits = params.limits()?;
        let image = match daemon.early() {
            Some(dial) => find_image(context, &dial, params)?,
            None => None,
        };
        let writes = mounts.iter().any(Mount::is_writable_place);
        let before = writes.then(|| GuardedBefore::look(context, TOOL));
        let mut body = params.body(context, network, &ports, &devices, &limits);
        body["HostConfig"]["Mounts"] = mounts_json(context, TOOL, &mounts, before.as_ref())?.into();
        if let Some(image) = &image {
            body["Image"] = json!(image.id);
        }
        let mut request = json!([body, params.name, params.keep, params.detach]);
        // An approval for good must hold in the next session.
        request[0]["Labels"][labels::SESSION].take();
        let name = format!("container/run/{} #{}", params.image, digest(&request));
        let text = detail(params, network, &mounts, &ports, &limits, image.as_ref());
        let mut effects = vec![named(name, text)];
        effects.extend(params.privileged.then(privileged));
        effects.extend((network == Network::Host).then(host_network));
        effects.extend(devices.iter().map(Device::effect));
        effects.extend(mounts.iter().flat_map(Mount::effects));
        effects.extend(ports.iter().filter_map(Port::effect));
        if network == Network::Bridge {
            effects.push(any_host("The container reaches any host."));
        }
        if image.is_none() && params.pull {
            let detail =
                format!("The daemon downloads {}, as the registry has it then.", params.image);
            effects.push(any_host(&detail));
        }
        effects.extend(daemon.effects());
        Ok(Self { daemon, mounts, effects, before, image, body })
    }

    /// The request that creates the container, of exactly this image.
    pub(crate) fn body(&self, image: &str) -> Value {
        let mut body = self.body.clone();
        body["Image"] = json!(image);
        body
    }

    /// The id of the image that was approved.
    pub(crate) fn image_id(&self) -> Option<&str> {
        self.image.as_ref().map(|image| image.id.as_str())
    }
}

fn invalid(why: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("{TOOL}: {why}"))
}

/// The image, if it is there; an error if it is not and may not be downloaded.
fn find_image(
    context: &Context<'_>,
    dial: &Dial,
    params: &Params,
) -> Result<Option<Image>, ToolError> {
    let client = Client::new(context.interrupt).map_err(|failure| failure.of(TOOL))?;
    let found = client.run(EARLY_TIMEOUT, image::find(dial, &params.image));
    let found = found.map_err(|failure| failure.of(TOOL))?;
    if found.is_none() && !params.pull {
        return Err(no_image(&params.image));
    }
    Ok(found)
}

pub(crate) fn no_image(name: &str) -> ToolError {
    ToolError::new(Code::Unavailable, format!("{TOOL}: there is no image {name} here"))
        .hint("docker_build builds it, `pull: true` downloads it after approval; docker_images lists what is here")
}

fn check(params: &Params) -> Result<(), ToolError> {
    let counts = [
        ("command", params.command.len()),
        ("env", params.env.len()),
        ("volumes", params.volumes.len()),
        ("ports", params.ports.len()),
        ("devices", params.devices.len()),
    ];
    if let Some((name, _)) = counts.iter().find(|(_, count)| *count > PARTS) {
        return Err(invalid(&format!("`{name}` has more than {PARTS} entries")));
    }
    if params.env.keys().any(|name| name.is_empty() || name.contains(['=', '\0'])) {
        return Err(invalid("`env`: a variable's name is empty, or has `=` in it"));
    }
    if params.ready.is_some() && !params.detach {
        return Err(invalid("`ready` needs `detach: true`"));
    }
    let texts = [&params.workdir, &params.user];
    if texts.into_iter().flatten().any(|text| text.chars().any(char::is_control)) {
        return Err(invalid("`workdir` or `user` has control characters"));
    }
    timeout(TOOL, params.timeout_ms, crate::limits::RUN_TIMEOUT_MS).map(drop)
}

impl Params {
    fn limits(&self) -> Result<Limits, ToolError> {
        let limits = Limits {
            memory_mb: self.memory_mb.unwrap_or(MEMORY_MB),
            cpus: self.cpus.unwrap_or_else(default_cpus),
            processes: self.processes.unwrap_or(PROCESSES),
        };
        if !(MIN_MEMORY_MB..=MAX_MEMORY_MB).contains(&limits.memory_mb) {
            return Err(invalid(&format!(
                "`memory_mb` must be from {MIN_MEMORY_MB} to {MAX_MEMORY_MB}"
            )));
        }
        if !(0.01..=1_000.0).contains(&limits.cpus) {
            return Err(invalid("`cpus` must be from 0.01 to 1000"));
        }
        if !(1..=MAX_PROCESSES).contains(&limits.processes) {
            return Err(invalid(&format!("`processes` must be from 1 to {MAX_PROCESSES}")));
        }
        Ok(limits)
    }

    fn body(
        &self,
        context: &Context<'_>,
        network: Network,
        ports: &[Port],
        devices: &[Device],
        limits: &Limits,
    ) -> Value {
        let started = context.session.family::<StartedContainers>();
        let mut all_labels = BTreeMap::from([
            (labels::WORKSPACE, labels::workspace(context)),
            (labels::SESSION, started.session()),
            (labels::IMAGE, self.image.clone()),
        ]);
        if self.keep {
            all_labels.insert(labels::KEEP, "true".to_owned());
        }
        let bytes = limits.memory_mb << 20;
        let (mut exposed, mut bindings) = (Map::new(), Map::new());
        for port in ports {
            exposed.insert(port.key(), json!({}));
            let binding =
                json!({ "HostIp": port.address.to_string(), "HostPort": port.host.to_string() });
            let list = bindings.entry(port.key()).or_insert_with(|| json!([]));
            list.as_array_mut().into_iter().for_each(|list| list.push(binding.clone()));
        }
        let env: Vec<String> =
            self.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut body = json!({
            "Image": self.image,
            "Env": env,
            "Labels": all_labels,
            "ExposedPorts": exposed,
            "HostConfig": {
                "Memory": bytes,
                "MemorySwap": bytes,
                "NanoCpus": (limits.cpus * 1e9).round() as i64,
                "PidsLimit": limits.processes,
                "NetworkMode": network.as_str(),
                "PortBindings": bindings,
                "Privileged": self.privileged,
                "Devices": devices.iter().map(Device::json).collect::<Vec<_>>(),
                "SecurityOpt": ["no-new-privileges"],
                "LogConfig": { "Type": "json-file", "Config": { "max-size": LOG_SIZE, "max-file": "1" } },
            },
        });
        if !self.command.is_empty() {
            body["Cmd"] = json!(self.command);
        }
        for (key, value) in [("WorkingDir", &self.workdir), ("User", &self.user)] {
            if let Some(value) = value {
                body[key] = json!(value);
            }
        }
        if let Some(entrypoint) = &self.entrypoint {
            body["Entrypoint"] = json!(entrypoint);
        }
        body
    }
}

/// As many processors as there are, up to a limit: daemons refuse more.
fn default_cpus() -> f64 {
    let there = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    CPUS.min(f64::from(u32::try_from(there).unwrap_or(1)))
}

/// The text of the approval.
fn detail(
    params: &Params,
    network: Network,
    mounts: &[Mount],
    ports: &[Port],
    limits: &Limits,
    image: Option<&Image>,
) -> String {
    let id = image.map(|image| format!(" ({:.19})", image.id)).unwrap_or_default();
    let mut lines = vec![format!("image: {}{id}", params.image)];
    let config = image.map(|image| image.config.clone()).unwrap_or_default();
    let of_image = |words: Vec<String>| (words, params.entrypoint.is_none() && image.is_some());
    let (entrypoint, _) = params
        .entrypoint
        .clone()
        .map_or_else(|| of_image(config.entrypoint), |words| (words, false));
    let (command, is_of_image) = match params.command.is_empty() {
        true if params.entrypoint.is_none() => (config.cmd, true),
        _ => (params.command.clone(), false),
    };
    let words = json!([entrypoint, command].concat()).to_string();
    lines.push(match (is_of_image, image) {
        (true, None) => "command: that of the image".to_owned(),
        (true, Some(_)) => format!("command: {words}, as the image has it"),
        (false, _) => format!("command: {words}"),
    });
    lines.extend(params.env.iter().map(|(name, value)| format!("variable: {name}={value}")));
    lines.extend(params.workdir.iter().map(|folder| format!("folder: {folder}")));
    let user = match (&params.user, config.user.as_str()) {
        (Some(user), _) => user.clone(),
        (None, "") if image.is_some() => "root in the container".to_owned(),
        (None, "") => "that of the image".to_owned(),
        (None, user) => user.to_owned(),
    };
    lines.push(format!("user: {user}"));
    lines.extend(mounts.iter().map(|mount| format!("mount: {}", mount.text())));
    lines.extend(params.devices.iter().map(|device| format!("device: {device}")));
    lines.extend(ports.iter().map(|port| format!("port: {}", port.text())));
    lines.push(format!("network: {}", network.text()));
    if params.privileged {
        lines.push("privileged: yes".to_owned());
    }
    let Limits { memory_mb, cpus, processes } = limits;
    lines.push(format!(
        "limits: {memory_mb} MB of memory, {cpus} processors, {processes} processes"
    ));
    lines.push(match (params.keep, params.detach) {
        (true, _) => "it stays when the session ends".to_owned(),
        (false, true) => "it runs on, and is removed when the session ends".to_owned(),
        (false, false) => "it is removed when its command has ended".to_owned(),
    });
    lines.join("\n")
}
