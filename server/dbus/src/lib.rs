//! A blocking client of D-Bus, for peers that may be hostile or not answer.
//!
//! [`Connection`] reaches a bus by its [`addresses`](parse_addresses). Calls are sent together and their replies
//! collected ([`Connection::call_all`]); every wait ends by a deadline or when its call is interrupted. Sizes and
//! nesting of what a peer sends are limited. File descriptors are not passed.
//!
//! It knows nothing of what is on a bus, of accessibility, or of tools.

mod address;
mod connection;
mod encoding;
mod limits;
mod message;
mod signature;
mod value;

pub use address::{Address, parse_addresses};
pub use connection::{Connection, Error, Wait};
pub use message::{Kind, Message, MethodCall};
pub use value::Value;
