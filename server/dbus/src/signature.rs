//! Types of values, and how signatures write them.

use crate::limits::MAX_DEPTH;

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    Byte,
    Bool,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F64,
    Str,
    Path,
    Signature,
    Variant,
    Array(Box<Type>),
    Struct(Vec<Type>),
    /// An entry of a dictionary: only within an array.
    Entry(Box<(Type, Type)>),
}

impl Type {
    /// The alignment of its values.
    pub(crate) fn alignment(&self) -> usize {
        match self {
            Self::Byte | Self::Signature | Self::Variant => 1,
            Self::I16 | Self::U16 => 2,
            Self::Bool | Self::I32 | Self::U32 | Self::Str | Self::Path | Self::Array(_) => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::Struct(_) | Self::Entry(_) => 8,
        }
    }
}

/// The types that a signature lists; `None` if it is not one.
pub(crate) fn parse(signature: &str) -> Option<Vec<Type>> {
    if signature.len() > 255 {
        return None;
    }
    let mut rest = signature.as_bytes();
    let mut types = Vec::new();
    while !rest.is_empty() {
        types.push(one(&mut rest, 0)?);
    }
    Some(types)
}

fn one(rest: &mut &[u8], depth: usize) -> Option<Type> {
    if depth > MAX_DEPTH {
        return None;
    }
    let (first, after) = rest.split_first()?;
    *rest = after;
    Some(match first {
        b'y' => Type::Byte,
        b'b' => Type::Bool,
        b'n' => Type::I16,
        b'q' => Type::U16,
        b'i' => Type::I32,
        // `h` is the index of a file descriptor.
        b'u' | b'h' => Type::U32,
        b'x' => Type::I64,
        b't' => Type::U64,
        b'd' => Type::F64,
        b's' => Type::Str,
        b'o' => Type::Path,
        b'g' => Type::Signature,
        b'v' => Type::Variant,
        b'a' if rest.first() == Some(&b'{') => {
            *rest = &rest[1..];
            let entry = (one(rest, depth + 1)?, one(rest, depth + 1)?);
            closed(rest, b'}')?;
            Type::Array(Box::new(Type::Entry(Box::new(entry))))
        }
        b'a' => Type::Array(Box::new(one(rest, depth + 1)?)),
        b'(' => {
            let mut fields = Vec::new();
            while rest.first() != Some(&b')') {
                fields.push(one(rest, depth + 1)?);
            }
            closed(rest, b')')?;
            if fields.is_empty() {
                return None;
            }
            Type::Struct(fields)
        }
        _ => return None,
    })
}

fn closed(rest: &mut &[u8], bracket: u8) -> Option<()> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    (*first == bracket).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_parsed() {
        assert_eq!(parse(""), Some(Vec::new()));
        let reference = Type::Struct(vec![Type::Str, Type::Path]);
        assert_eq!(parse("a(so)u"), Some(vec![Type::Array(Box::new(reference)), Type::U32]));
        let entry = Type::Entry(Box::new((Type::Str, Type::Variant)));
        assert_eq!(parse("a{sv}"), Some(vec![Type::Array(Box::new(entry))]));
        for broken in ["a", "(", "()", "(s", "{sv}", "a{s}", "a{svs}", "z", ")"] {
            assert_eq!(parse(broken), None, "{broken}");
        }
        assert_eq!(parse(&"a".repeat(200)), None);
        assert_eq!(parse(&format!("{}s{}", "(".repeat(100), ")".repeat(100))), None);
    }
}
