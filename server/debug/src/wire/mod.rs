//! What goes over the wire: frames, and the envelopes in them.

mod frame;
mod message;

pub(crate) use frame::{encode, read};
pub(crate) use message::{Event, Message, Request, Response, answer, request};
