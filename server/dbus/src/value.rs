//! Values in messages.

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `y`
    Byte(u8),
    /// `b`
    Bool(bool),
    /// `n`
    I16(i16),
    /// `q`
    U16(u16),
    /// `i`
    I32(i32),
    /// `u`
    U32(u32),
    /// `x`
    I64(i64),
    /// `t`
    U64(u64),
    /// `d`
    F64(f64),
    /// `s`
    Str(String),
    /// `o`
    Path(String),
    /// `g`
    Signature(String),
    /// `v`
    Variant(Box<Value>),
    /// `a`: the signature of its items, and the items.
    Array(String, Vec<Value>),
    /// `()`
    Struct(Vec<Value>),
    /// `{}` in an array: a key and its value.
    Entry(Box<(Value, Value)>),
}

impl Value {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Str(text.into())
    }

    /// A value in a variant.
    #[must_use]
    pub fn variant(self) -> Self {
        Self::Variant(Box::new(self))
    }

    /// The value in a variant, or this one.
    #[must_use]
    pub fn inner(&self) -> &Self {
        match self {
            Self::Variant(inner) => inner.inner(),
            other => other,
        }
    }

    /// The text, path or signature that it is.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self.inner() {
            Self::Str(text) | Self::Path(text) | Self::Signature(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number that it is.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        Some(match self.inner() {
            Self::Byte(number) => i64::from(*number),
            Self::I16(number) => i64::from(*number),
            Self::U16(number) => i64::from(*number),
            Self::I32(number) => i64::from(*number),
            Self::U32(number) => i64::from(*number),
            Self::I64(number) => *number,
            Self::U64(number) => i64::try_from(*number).ok()?,
            _ => return None,
        })
    }

    /// The number that it is.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self.inner() {
            Self::F64(number) => Some(*number),
            other => other.as_i64().map(|number| number as f64),
        }
    }

    /// The truth value that it is.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.inner() {
            Self::Bool(is_true) => Some(*is_true),
            _ => None,
        }
    }

    /// The items of an array or the fields of a structure; none for other values.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self.inner() {
            Self::Array(_, items) | Self::Struct(items) => items,
            _ => &[],
        }
    }

    /// The signature of its type.
    #[must_use]
    pub fn signature(&self) -> String {
        match self {
            Self::Byte(_) => "y".to_owned(),
            Self::Bool(_) => "b".to_owned(),
            Self::I16(_) => "n".to_owned(),
            Self::U16(_) => "q".to_owned(),
            Self::I32(_) => "i".to_owned(),
            Self::U32(_) => "u".to_owned(),
            Self::I64(_) => "x".to_owned(),
            Self::U64(_) => "t".to_owned(),
            Self::F64(_) => "d".to_owned(),
            Self::Str(_) => "s".to_owned(),
            Self::Path(_) => "o".to_owned(),
            Self::Signature(_) => "g".to_owned(),
            Self::Variant(_) => "v".to_owned(),
            Self::Array(item, _) => format!("a{item}"),
            Self::Struct(fields) => {
                format!("({})", fields.iter().map(Self::signature).collect::<String>())
            }
            Self::Entry(entry) => format!("{{{}{}}}", entry.0.signature(), entry.1.signature()),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::I32(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::U32(number)
    }
}
