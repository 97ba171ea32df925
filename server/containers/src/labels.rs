//! The labels of what this server starts.

use tools::Context;

/// The workspace that it belongs to.
pub(crate) const WORKSPACE: &str = "dev.tandem.workspace";
/// The session that it ends with.
pub(crate) const SESSION: &str = "dev.tandem.session";
/// The image, by the name that the call had.
pub(crate) const IMAGE: &str = "dev.tandem.image";
/// Whether it stays when the session ends.
pub(crate) const KEEP: &str = "dev.tandem.keep";

/// The value of [`WORKSPACE`].
pub(crate) fn workspace(context: &Context<'_>) -> String {
    let root = context.snapshot.roots().first();
    root.map(|root| root.path().display().to_string()).unwrap_or_default()
}
