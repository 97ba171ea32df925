//! What the connections of a dashboard share.

use std::sync::Arc;

use tools::Approvals;
use workspace::AccessToken;

use crate::calls::PageCalls;
use crate::events::Sources;

/// What the connections share.
pub(crate) struct Shared {
    pub(crate) token: AccessToken,
    pub(crate) sources: Sources,
    pub(crate) approvals: Approvals,
    pub(crate) calls: Arc<PageCalls>,
}
