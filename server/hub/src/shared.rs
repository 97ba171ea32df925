//! What the clients of a hub share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use workspace::AccessToken;

use crate::subscriptions::{ChannelCounts, Sources};

/// What the clients of a hub share.
pub(crate) struct Shared {
    pub(crate) token: AccessToken,
    pub(crate) sources: Arc<Sources>,
    pub(crate) counts: Arc<ChannelCounts>,
    pub(crate) clients: AtomicUsize,
    /// Clients that were disconnected because they were too slow.
    pub(crate) slow_clients: AtomicU64,
}
