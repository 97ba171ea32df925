//! `get_system_info`: the machine that the server runs on.

use process::MachineFacts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GetSystemInfo;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The operating system and its version.
    os: String,
    /// The kernel's version.
    kernel: String,
    /// The processor's architecture.
    architecture: String,
    /// The machine's name.
    hostname: String,
    cpu: Cpu,
    memory: Memory,
    /// The file system of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<Disk>,
    /// Seconds since the machine was started.
    uptime_seconds: u64,
}

/// The processors.
#[derive(Serialize, JsonSchema)]
struct Cpu {
    /// The model.
    model: String,
    /// Number of logical processors.
    count: usize,
    /// Processes that run or wait, on average over 1, 5 and 15 minutes.
    load_average: [f64; 3],
}

/// Memory, in bytes.
#[derive(Serialize, JsonSchema)]
struct Memory {
    total: u64,
    /// What programs can still get.
    available: u64,
    swap_total: u64,
    swap_used: u64,
}

/// A file system, in bytes.
#[derive(Serialize, JsonSchema)]
struct Disk {
    mounted_on: String,
    total: u64,
    available: u64,
}

impl Tool for GetSystemInfo {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_system_info";
    const DESCRIPTION: &'static str = "The machine: operating system, processors and their load, \
        free memory, and free space where the workspace is.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    // `/proc` and `/sys` are outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}"];

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let roots = context.snapshot.roots();
        let folder = roots.first().map_or(std::path::Path::new("/"), |root| root.path());
        let facts = MachineFacts::read(folder);
        Ok(Output {
            os: facts.system,
            kernel: facts.kernel,
            architecture: facts.architecture,
            hostname: facts.host_name,
            cpu: Cpu { model: facts.processor, count: facts.processors, load_average: facts.load },
            memory: Memory {
                total: facts.memory_total,
                available: facts.memory_available,
                swap_total: facts.swap_total,
                swap_used: facts.swap_used,
            },
            disk: facts.disk.map(|disk| Disk {
                mounted_on: disk.mounted_on,
                total: disk.total,
                available: disk.available,
            }),
            uptime_seconds: facts.uptime,
        })
    }
}
