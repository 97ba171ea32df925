//! Limits.

use std::time::Duration;

/// Time for a call, unless the caller wants another.
pub(crate) const TIMEOUT_MS: u64 = 60_000;
/// Time for a rollout, unless the caller wants another.
pub(crate) const ROLLOUT_TIMEOUT_MS: u64 = 300_000;
/// Most time for a call.
pub(crate) const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// Time for a connection and its TLS handshake.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How often waits look at the interrupt flag.
pub(crate) const POLL: Duration = Duration::from_millis(20);
/// How often a rollout is looked at.
pub(crate) const ROLLOUT_POLL: Duration = Duration::from_millis(500);

/// Most bytes of an answer.
pub(crate) const MAX_ANSWER_BYTES: usize = 32 << 20;
/// Most bytes of a kubeconfig file, and of a file that it names.
pub(crate) const MAX_CONFIG_BYTES: u64 = 4 << 20;
/// Most files in `KUBECONFIG`.
pub(crate) const MAX_CONFIG_FILES: usize = 20;

/// Most bytes of manifests.
pub(crate) const MAX_MANIFEST_BYTES: usize = 16 << 20;
/// Most objects of one call.
pub(crate) const MAX_OBJECTS: usize = 2_000;
/// Most values of all documents, aliases counted each time: a small text could expand to millions.
pub(crate) const MAX_YAML_VALUES: usize = 1_000_000;
/// How deep values may nest.
pub(crate) const MAX_YAML_DEPTH: usize = 100;

/// Fields that are listed of one object.
pub(crate) const MAX_FIELDS: usize = 100;
/// Longest shown value, in characters.
pub(crate) const MAX_VALUE_CHARS: usize = 300;
/// Longest shown message of a server, in characters.
pub(crate) const MAX_MESSAGE_CHARS: usize = 800;
/// Objects of a page of `kube_get`.
pub(crate) const PAGE: u32 = 100;
/// Most objects of a page.
pub(crate) const MAX_PAGE: u32 = 500;
/// Lines of a log, unless the caller wants another number.
pub(crate) const LOG_LINES: u32 = 200;
/// Most lines, and bytes of a log.
pub(crate) const MAX_LOG_LINES: u32 = 5_000;
pub(crate) const MAX_LOG_BYTES: usize = 512 << 10;
