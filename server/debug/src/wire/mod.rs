//! The DAP wire format: frames, and the messages in them.

mod frame;
mod message;

pub(crate) use frame::{encode, read};
pub(crate) use message::{Event, Message, Request, Response, request, response};
