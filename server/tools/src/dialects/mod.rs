//! Dialects: the names, parameters, results and errors of other products' tool references, as data.
//!
//! A dialect is a TOML file with small jq filters (`docs/dialects.md` describes the format). A call in
//! a dialect is translated to a call of one of our tools before anything else happens, so effects,
//! policy and audit see that call and a dialect cannot widen what it may do. Start reading from
//! [`Dialect::translate`].

mod call;
mod docs;
mod file;
mod load;
mod schema;
mod tool;

pub use call::{DialectCall, DialectError};
pub use docs::dialects_page;
pub use load::{dialect, dialect_names};
pub use tool::{Dialect, DialectTool};
