//! Who logs in at a server.

/// Who logs in, and with what.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: Option<String>,
    pub(crate) database: String,
}
