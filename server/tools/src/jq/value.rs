//! JSON values as filters see them: shared, so that copies are cheap, and counted against the limits.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

use jaq_core::val::Range;
use jaq_core::{Error, ValR};
use serde_json::{Number, Value as Json};

use super::fields::Fields;
use super::limits::{allocate, check_depth, step};

/// What a value, and an entry of an object, take in memory, roughly.
pub(super) const VALUE_BYTES: usize = 24;
pub(super) const ENTRY_BYTES: usize = 96;

/// A JSON value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(Rc<String>),
    Array(Rc<Nested<Vec<Value>>>),
    Object(Rc<Nested<Fields>>),
}

/// The content of an array or object, with the number of levels below.
#[derive(Clone, Debug)]
pub(super) struct Nested<T> {
    depth: u32,
    pub(super) items: T,
}

fn owned<T: Clone>(shared: Rc<Nested<T>>, bytes: impl FnOnce(&T) -> usize) -> T {
    match Rc::try_unwrap(shared) {
        Ok(nested) => nested.items,
        Err(shared) => {
            allocate(bytes(&shared.items));
            shared.items.clone()
        }
    }
}

pub(super) fn items(array: Rc<Nested<Vec<Value>>>) -> Vec<Value> {
    owned(array, |items| items.len() * VALUE_BYTES)
}

pub(super) fn fields(object: Rc<Nested<Fields>>) -> Fields {
    owned(object, |fields| fields.len() * ENTRY_BYTES)
}

impl Value {
    fn depth(&self) -> u32 {
        match self {
            Self::Array(array) => array.depth,
            Self::Object(object) => object.depth,
            _ => 0,
        }
    }

    pub(super) fn array(items: Vec<Self>) -> Self {
        let depth = 1 + items.iter().map(Self::depth).max().unwrap_or_default();
        check_depth(depth);
        Self::Array(Rc::new(Nested { depth, items }))
    }

    pub(super) fn object(items: Fields) -> Self {
        let depth = 1 + items.values().map(Self::depth).max().unwrap_or_default();
        check_depth(depth);
        Self::Object(Rc::new(Nested { depth, items }))
    }

    /// A text, whose memory is counted.
    pub(super) fn text(text: String) -> Self {
        allocate(text.len());
        Self::Text(Rc::new(text))
    }

    /// The text of a text.
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as a filter sees it. Texts are moved.
    pub(super) fn from_json(json: Json) -> Self {
        step();
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(number) => Self::Number(number),
            Json::String(text) => Self::Text(Rc::new(text)),
            Json::Array(items) => Self::array(items.into_iter().map(Self::from_json).collect()),
            Json::Object(fields) => {
                let named = |(name, value)| (Rc::new(name), Self::from_json(value));
                Self::object(Fields::from_distinct(fields.into_iter().map(named)))
            }
        }
    }

    /// The value as JSON. Texts are moved if nothing else holds them.
    pub(super) fn into_json(self) -> Json {
        step();
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(value),
            Self::Number(number) => Json::Number(number),
            Self::Text(text) => Json::String(Rc::try_unwrap(text).unwrap_or_else(|text| {
                allocate(text.len());
                text.as_ref().clone()
            })),
            Self::Array(array) => items(array).into_iter().map(Self::into_json).collect(),
            Self::Object(object) => {
                let fields = fields(object).into_iter();
                let named = |(name, value): (Rc<String>, Self)| {
                    (Rc::unwrap_or_clone(name), value.into_json())
                };
                fields.map(named).collect()
            }
        }
    }

    /// As `length` counts.
    pub(super) fn length(&self) -> ValR<Self> {
        let count = match self {
            Self::Null => 0,
            Self::Text(text) => text.chars().count(),
            Self::Array(array) => array.items.len(),
            Self::Object(object) => object.items.len(),
            Self::Number(number) => {
                return Ok(number.as_f64().unwrap_or_default().abs().into());
            }
            Self::Bool(_) => return Err(Error::typ(self.clone(), "value with a length")),
        };
        Ok(count.into())
    }

    /// Whether an object has a field, or an array an index.
    pub(super) fn has(&self, key: &Self) -> ValR<Self> {
        match (self, key) {
            (Self::Object(object), Self::Text(name)) => Ok(object.items.get(name).is_some().into()),
            (Self::Array(array), Self::Number(index)) => {
                let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                Ok(index.is_some_and(|index| index < array.items.len()).into())
            }
            _ => Err(Error::index(self.clone(), key.clone())),
        }
    }

    /// An object without the fields that are null.
    pub(super) fn without_nulls(self) -> Self {
        let Self::Object(object) = self else { return self };
        let mut kept = fields(object);
        kept.retain(|value| !matches!(value, Self::Null));
        Self::object(kept)
    }

    /// Whether `part` is a part of a text, or its elements and fields are parts of those of an array or object.
    pub(super) fn contains(&self, part: &Self) -> bool {
        step();
        match (self, part) {
            (Self::Text(text), Self::Text(part)) => text.contains(part.as_str()),
            (Self::Array(all), Self::Array(parts)) => {
                parts.items.iter().all(|part| all.items.iter().any(|one| one.contains(part)))
            }
            (Self::Object(all), Self::Object(parts)) => parts
                .items
                .iter()
                .all(|(name, part)| all.items.get(name).is_some_and(|one| one.contains(part))),
            _ => self == part,
        }
    }

    pub(super) fn as_index(&self, length: usize) -> Option<usize> {
        let Self::Number(number) = self else { return None };
        let index = number.as_i64().or_else(|| whole(number.as_f64()?))?;
        let from_end = index.checked_add(i64::try_from(length).ok()?)?;
        usize::try_from(if index < 0 { from_end } else { index }).ok()
    }
}

#[allow(clippy::cast_possible_truncation, reason = "held against the bounds")]
pub(super) fn whole(float: f64) -> Option<i64> {
    (float.abs() < 9e15).then(|| float.floor() as i64)
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<isize> for Value {
    fn from(value: isize) -> Self {
        Self::Number(value.into())
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Number(value.into())
    }
}

impl From<f64> for Value {
    /// Whole numbers become integers; what JSON cannot express becomes null.
    fn from(value: f64) -> Self {
        match whole(value) {
            #[allow(clippy::cast_precision_loss, reason = "within the exact range")]
            Some(integer) if integer as f64 == value => Self::Number(integer.into()),
            _ => Number::from_f64(value).map_or(Self::Null, Self::Number),
        }
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Range<Self>> for Value {
    fn from(range: Range<Self>) -> Self {
        let ends = [("start", range.start), ("end", range.end)];
        let ends =
            ends.into_iter().filter_map(|(name, end)| Some((Rc::new(name.to_owned()), end?)));
        Self::object(Fields::from_distinct(ends))
    }
}

impl FromIterator<Self> for Value {
    fn from_iter<T: IntoIterator<Item = Self>>(values: T) -> Self {
        let counted = |value| {
            allocate(VALUE_BYTES);
            value
        };
        Self::array(values.into_iter().map(counted).collect())
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    /// jq's order: null, false, true, numbers, texts, arrays, objects.
    fn cmp(&self, other: &Self) -> Ordering {
        step();
        let rank = |value: &Self| match value {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Number(_) => 2,
            Self::Text(_) => 3,
            Self::Array(_) => 4,
            Self::Object(_) => 5,
        };
        match (self, other) {
            (Self::Bool(one), Self::Bool(two)) => one.cmp(two),
            (Self::Number(one), Self::Number(two)) => match (one.as_i64(), two.as_i64()) {
                (Some(one), Some(two)) => one.cmp(&two),
                _ => {
                    let float = |number: &Number| number.as_f64().unwrap_or_default();
                    float(one).total_cmp(&float(two))
                }
            },
            (Self::Text(one), Self::Text(two)) => one.cmp(two),
            (Self::Array(one), Self::Array(two)) => one.items.cmp(&two.items),
            (Self::Object(one), Self::Object(two)) => {
                let sorted = |fields: &Fields| {
                    let mut fields: Vec<_> =
                        fields.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
                    fields.sort_by(|one, two| one.0.cmp(&two.0));
                    fields
                };
                let (one, two) = (sorted(&one.items), sorted(&two.items));
                let names = one.iter().map(|(name, _)| name).cmp(two.iter().map(|(name, _)| name));
                names.then_with(|| {
                    one.iter().map(|(_, value)| value).cmp(two.iter().map(|(_, value)| value))
                })
            }
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.clone().into_json().to_string())
    }
}
