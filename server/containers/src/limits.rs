//! The limits of this crate.

use std::time::Duration;

/// Bytes of an answer that is read whole.
pub(crate) const ANSWER_BYTES: usize = 16 << 20;
/// Bytes of the message of an error.
pub(crate) const ERROR_BYTES: usize = 64 << 10;
/// Bytes of the head of an answer.
pub(crate) const HEAD_BYTES: usize = 64 << 10;
/// Header fields of an answer.
pub(crate) const HEADERS: usize = 100;
/// Bytes of one message of a build's progress.
pub(crate) const MESSAGE_BYTES: usize = 1 << 20;
/// Bytes of a build's progress.
pub(crate) const PROGRESS_BYTES: u64 = 256 << 20;
/// Bytes of one entry of a container's output. Daemons write at most 16 KiB at once.
pub(crate) const FRAME_BYTES: usize = 1 << 20;
/// Bytes of a container's output that a call reads, to find a page or a line in it.
pub(crate) const OUTPUT_BYTES: u64 = 4 << 30;
/// Bytes of a page of output: a result has 50 KB with everything.
pub(crate) const PAGE_BYTES: usize = 40_000;
/// Bytes of the start and of the end of a longer output that a result has, for each stream.
pub(crate) const HEAD_OF_OUTPUT: usize = 12_000;
/// The end.
pub(crate) const TAIL_OF_OUTPUT: usize = 8_000;
/// Bytes of the output of a build's step that a result has.
pub(crate) const STEP_OUTPUT_BYTES: usize = 4_000;

/// Files, folders and links of a build context.
pub(crate) const CONTEXT_ENTRIES: usize = 100_000;
/// Bytes of the files of a build context.
pub(crate) const CONTEXT_BYTES: u64 = 1 << 30;
/// How deep its folders may nest.
pub(crate) const CONTEXT_DEPTH: usize = 100;
/// Bytes of a Dockerfile, and of a `.dockerignore`.
pub(crate) const DOCKERFILE_BYTES: u64 = 1 << 20;
/// Patterns of a `.dockerignore`.
pub(crate) const IGNORE_PATTERNS: usize = 2_000;
/// Instructions of a Dockerfile.
pub(crate) const INSTRUCTIONS: usize = 2_000;
/// Steps, layers, images and containers in a result.
pub(crate) const LISTED: usize = 200;

/// Mounts that hide or protect what is below the mounts of a call.
pub(crate) const COVERED_PLACES: usize = 1_000;
/// Mounts, ports, devices, variables and arguments of a container.
pub(crate) const PARTS: usize = 200;
/// Containers that a session starts and that have not ended.
pub(crate) const STARTED: usize = 50;

/// Memory of a container or a build.
pub(crate) const MEMORY_MB: u64 = 2_048;
/// Least memory: what daemons accept.
pub(crate) const MIN_MEMORY_MB: u64 = 6;
/// Most memory: more is no limit.
pub(crate) const MAX_MEMORY_MB: u64 = 1 << 20;
/// Processors of a container.
pub(crate) const CPUS: f64 = 2.0;
/// Processes and threads of a container.
pub(crate) const PROCESSES: u32 = 512;
/// Most processes and threads.
pub(crate) const MAX_PROCESSES: u32 = 100_000;
/// Bytes that a daemon keeps of a container's output.
pub(crate) const LOG_SIZE: &str = "64m";

/// Time for a question to the daemon that it answers at once.
pub(crate) const QUERY_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for a question before policy has decided.
pub(crate) const EARLY_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for the end of a container, and for what is left of a session.
pub(crate) const END_TIMEOUT: Duration = Duration::from_secs(20);
/// How often waits look at the interrupt flag.
pub(crate) const POLL: Duration = Duration::from_millis(20);
/// Time for a command, unless the caller wants another.
pub(crate) const RUN_TIMEOUT_MS: u64 = 120_000;
/// Time for a build, unless the caller wants another.
pub(crate) const BUILD_TIMEOUT_MS: u64 = 600_000;
/// Most time for a call.
pub(crate) const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// Time for `ready`, unless the caller wants another.
pub(crate) const READY_TIMEOUT_MS: u64 = 30_000;
/// Most time for a wait.
pub(crate) const MAX_WAIT_MS: u64 = 600_000;
/// The longest text of a server in a message, in characters.
pub(crate) const MAX_MESSAGE_CHARS: usize = 1_000;
