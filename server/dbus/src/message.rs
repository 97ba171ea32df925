//! Messages: a call, its reply or error, or a signal.

use crate::encoding::{Reader, Writer};
use crate::limits::{MAX_FIELD_BYTES, MAX_MESSAGE_BYTES, MAX_SKIPPED_BYTES};
use crate::signature::parse;
use crate::value::Value;

/// What a message is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// A call of a method.
    #[default]
    Call,
    /// The values that a method returns.
    Reply,
    /// The error of a call.
    Error,
    /// An event.
    Signal,
}

/// A message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    /// What it is.
    pub kind: Kind,
    /// Its number, which its sender counts.
    pub serial: u32,
    /// The object that is called, or that sends the signal.
    pub path: Option<String>,
    /// The interface of the method or signal.
    pub interface: Option<String>,
    /// The name of the method or signal.
    pub member: Option<String>,
    /// The name of the error.
    pub error: Option<String>,
    /// The number of the call that it answers.
    pub reply_to: Option<u32>,
    /// The name of its receiver on the bus.
    pub destination: Option<String>,
    /// The name of its sender, as the bus writes it.
    pub sender: Option<String>,
    /// Its values.
    pub body: Vec<Value>,
}

/// A call of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodCall {
    /// The name of the program on the bus.
    pub destination: String,
    /// The object.
    pub path: String,
    /// The interface.
    pub interface: &'static str,
    /// The method.
    pub member: &'static str,
    /// The parameters.
    pub body: Vec<Value>,
}

impl From<MethodCall> for Message {
    fn from(call: MethodCall) -> Self {
        Self {
            path: Some(call.path),
            interface: Some(call.interface.to_owned()),
            member: Some(call.member.to_owned()),
            destination: Some(call.destination),
            body: call.body,
            ..Self::default()
        }
    }
}

impl Message {
    /// A reply to this call.
    #[must_use]
    pub fn reply(&self, body: Vec<Value>) -> Self {
        Self {
            kind: Kind::Reply,
            reply_to: Some(self.serial),
            destination: self.sender.clone(),
            body,
            ..Self::default()
        }
    }

    /// An error as the answer to this call.
    #[must_use]
    pub fn refuse(&self, name: &str) -> Self {
        Self { kind: Kind::Error, error: Some(name.to_owned()), ..self.reply(Vec::new()) }
    }

    /// Its bytes.
    pub(crate) fn encoded(&self) -> Vec<u8> {
        let mut body = Writer::default();
        self.body.iter().for_each(|value| body.put(value));
        let kind = match self.kind {
            Kind::Call => 1,
            Kind::Reply => 2,
            Kind::Error => 3,
            Kind::Signal => 4,
        };
        let mut writer = Writer { bytes: vec![b'l', kind, NO_AUTO_START, 1] };
        writer.put(&Value::U32(body.bytes.len() as u32));
        writer.put(&Value::U32(self.serial));
        let path = |path: &String| Value::Path(path.clone());
        let text = |text: &String| Value::Str(text.clone());
        let signature: String = self.body.iter().map(Value::signature).collect();
        let fields = [
            (PATH, self.path.as_ref().map(path)),
            (INTERFACE, self.interface.as_ref().map(text)),
            (MEMBER, self.member.as_ref().map(text)),
            (ERROR, self.error.as_ref().map(text)),
            (REPLY_TO, self.reply_to.map(Value::U32)),
            (DESTINATION, self.destination.as_ref().map(text)),
            (SIGNATURE, (!signature.is_empty()).then_some(Value::Signature(signature))),
        ];
        let fields = fields.into_iter().filter_map(|(code, value)| {
            Some(Value::Struct(vec![Value::Byte(code), value?.variant()]))
        });
        writer.put(&Value::Array("(yv)".to_owned(), fields.collect()));
        writer.align(8);
        writer.bytes.extend(body.bytes);
        writer.bytes
    }
}

/// The flag by which a call starts no program that is not there.
const NO_AUTO_START: u8 = 2;
// The codes of header fields.
const PATH: u8 = 1;
const INTERFACE: u8 = 2;
const MEMBER: u8 = 3;
const ERROR: u8 = 4;
const REPLY_TO: u8 = 5;
const DESTINATION: u8 = 6;
const SENDER: u8 = 7;
const SIGNATURE: u8 = 8;

/// The bytes of a message before its header fields.
pub(crate) const FIXED_BYTES: usize = 16;

/// The sizes of a message's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// What precedes the body.
    pub(crate) head: usize,
    pub(crate) body: usize,
    is_big_endian: bool,
}

impl Sizes {
    /// The sizes that the first bytes announce; `None` if this is no message, or a larger one than any can be.
    pub(crate) fn of(fixed: &[u8]) -> Option<Self> {
        let is_big_endian = match fixed.first()? {
            b'l' => false,
            b'B' => true,
            _ => return None,
        };
        let number = |at: usize| {
            let bytes: [u8; 4] = fixed.get(at..at + 4)?.try_into().ok()?;
            let number =
                if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
            Some(number as usize)
        };
        let (body, fields) = (number(4)?, number(12)?);
        (fields <= MAX_FIELD_BYTES && body <= MAX_SKIPPED_BYTES).then(|| Self {
            head: (FIXED_BYTES + fields).next_multiple_of(8),
            body,
            is_big_endian,
        })
    }

    /// Whether the body is small enough to be read.
    pub(crate) fn is_readable(self) -> bool {
        self.head + self.body <= MAX_MESSAGE_BYTES
    }
}

/// The message in these bytes: `Some(Err(…))` if its body is malformed or was left out, in which case it has none.
pub(crate) fn decoded(
    sizes: Sizes,
    head: &[u8],
    body: Option<&[u8]>,
) -> Option<Result<Message, Message>> {
    let kind = match head.get(1)? {
        1 => Kind::Call,
        2 => Kind::Reply,
        3 => Kind::Error,
        4 => Kind::Signal,
        _ => return None,
    };
    let values = Reader::new(head, sizes.is_big_endian).values(&parse("yyyyuua(yv)")?)?;
    let mut message =
        Message { kind, serial: u32::try_from(values[5].as_i64()?).ok()?, ..Message::default() };
    let mut signature = String::new();
    for field in values[6].items() {
        let [Value::Byte(code), value] = field.items() else { continue };
        let text = || value.as_str().map(str::to_owned);
        match *code {
            PATH => message.path = text(),
            INTERFACE => message.interface = text(),
            MEMBER => message.member = text(),
            ERROR => message.error = text(),
            REPLY_TO => message.reply_to = value.as_i64().and_then(|n| u32::try_from(n).ok()),
            DESTINATION => message.destination = text(),
            SENDER => message.sender = text(),
            SIGNATURE => signature = text()?,
            _ => {}
        }
    }
    let read =
        body.and_then(|body| Reader::new(body, sizes.is_big_endian).values(&parse(&signature)?));
    Some(match read {
        Some(values) => Ok(Message { body: values, ..message }),
        None => Err(message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<Result<Message, Message>> {
        let sizes = Sizes::of(bytes)?;
        let body = bytes.get(sizes.head..sizes.head + sizes.body);
        decoded(sizes, bytes.get(..sizes.head)?, body)
    }

    fn call() -> Message {
        Message {
            serial: 7,
            ..MethodCall {
                destination: ":1.5".to_owned(),
                path: "/a/b".to_owned(),
                interface: "org.a11y.atspi.Accessible",
                member: "GetChildAtIndex",
                body: vec![3.into(), "x".into()],
            }
            .into()
        }
    }

    #[test]
    fn messages_are_read_as_they_are_written() {
        for message in [call(), call().reply(vec![5_u32.into()]), call().refuse("a.b.Error")] {
            let message = Message { serial: 9, ..message };
            assert_eq!(read(&message.encoded()), Some(Ok(message)));
        }
    }

    #[test]
    fn a_message_without_its_body_still_has_its_number() {
        let bytes = Message { serial: 1, ..call().reply(vec!["x".into()]) }.encoded();
        let sizes = Sizes::of(&bytes).unwrap();
        let left_out = decoded(sizes, &bytes[..sizes.head], None).unwrap().unwrap_err();
        assert_eq!(left_out.reply_to, Some(7));
    }

    #[test]
    fn malformed_messages_are_refused() {
        let bytes = call().encoded();
        for end in 0..bytes.len() {
            assert!(!matches!(read(&bytes[..end]), Some(Ok(_))), "{end}");
        }
        // No change of a byte makes it panic.
        for at in 0..bytes.len() {
            for value in [0, 1, 7, 127, 128, 255] {
                let mut changed = bytes.clone();
                changed[at] = value;
                read(&changed);
            }
        }
        let mut large = bytes;
        large[4..8].copy_from_slice(&(MAX_SKIPPED_BYTES as u32 + 1).to_le_bytes());
        assert_eq!(Sizes::of(&large), None);
    }
}
