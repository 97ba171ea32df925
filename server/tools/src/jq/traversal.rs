//! How the interpreter reads and changes the parts of values.

use jaq_core::path::Opt;
use jaq_core::val::Range;
use jaq_core::{Error, Exn, ValR, ValX};

use super::fields::Fields;
use super::limits::{allocate, step};
use super::value::{ENTRY_BYTES, VALUE_BYTES, Value, fields, items};

/// The bounds of a slice, within `length`.
fn bounds(range: &Range<&Value>, length: usize) -> Result<(usize, usize), Error<Value>> {
    let bound = |bound: Option<&Value>, default: usize| match bound {
        None | Some(Value::Null) => Ok(default),
        Some(value @ Value::Number(_)) => Ok(value.as_index(length).unwrap_or(0).min(length)),
        Some(other) => Err(Error::typ(other.clone(), "integer")),
    };
    let (start, end) = (bound(range.start, 0)?, bound(range.end, length)?);
    Ok((start, end.max(start)))
}

/// The part of a text between two characters.
fn characters(text: &str, start: usize, end: usize) -> &str {
    let byte = |nth: usize| text.char_indices().nth(nth).map_or(text.len(), |(at, _)| at);
    &text[byte(start)..byte(end)]
}

/// The first output of an update; `None` removes the value.
fn first<'a>(
    mut outputs: impl Iterator<Item = ValX<'a, Value>>,
) -> Result<Option<Value>, Exn<'a, Value>> {
    step();
    outputs.next().transpose()
}

impl jaq_core::ValT for Value {
    fn from_num(text: &str) -> ValR<Self> {
        let number =
            text.parse::<f64>().map_err(|_| Error::str(format_args!("`{text}` is no number")))?;
        Ok(text
            .parse::<i64>()
            .map_or_else(|_| number.into(), |integer| Self::Number(integer.into())))
    }

    fn from_map<I: IntoIterator<Item = (Self, Self)>>(entries: I) -> ValR<Self> {
        let mut fields = Fields::default();
        for (name, value) in entries {
            allocate(ENTRY_BYTES);
            match name {
                Self::Text(name) => fields.insert(name, value),
                other => return Err(Error::typ(other, "name of a field")),
            };
        }
        Ok(Self::object(fields))
    }

    fn key_values(self) -> Box<dyn Iterator<Item = ValR<(Self, Self), Self>>> {
        match self {
            Self::Array(array) => Box::new(
                items(array).into_iter().enumerate().map(|(at, value)| Ok((at.into(), value))),
            ),
            Self::Object(object) => {
                let named = |(name, value)| Ok((Self::Text(name), value));
                Box::new(fields(object).into_iter().map(named))
            }
            other => Box::new(std::iter::once(Err(Error::typ(other, "array or object")))),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = ValR<Self>>> {
        let counted = |value| {
            step();
            Ok(value)
        };
        match self {
            Self::Array(array) => Box::new(items(array).into_iter().map(counted)),
            Self::Object(object) => {
                Box::new(fields(object).into_iter().map(move |(_, value)| counted(value)))
            }
            other => Box::new(std::iter::once(Err(Error::typ(other, "array or object")))),
        }
    }

    fn index(self, index: &Self) -> ValR<Self> {
        match (&self, index) {
            (Self::Null, _) => Ok(Self::Null),
            (Self::Object(object), Self::Text(name)) => {
                Ok(object.items.get(name).cloned().unwrap_or(Self::Null))
            }
            (Self::Array(array), Self::Number(_)) => {
                let found = index.as_index(array.items.len()).and_then(|at| array.items.get(at));
                Ok(found.cloned().unwrap_or(Self::Null))
            }
            _ => Err(Error::index(self, index.clone())),
        }
    }

    fn range(self, range: Range<&Self>) -> ValR<Self> {
        match self {
            Self::Null => Ok(Self::Null),
            Self::Text(text) => {
                let (start, end) = bounds(&range, text.chars().count())?;
                Ok(Self::text(characters(&text, start, end).to_owned()))
            }
            Self::Array(array) => {
                let (start, end) = bounds(&range, array.items.len())?;
                Ok(array.items[start..end].iter().cloned().collect())
            }
            other => Err(Error::typ(other, "array or string")),
        }
    }

    fn map_values<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        opt: Opt,
        update: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        match self {
            Self::Array(array) => {
                let updated = items(array).into_iter().flat_map(update);
                Ok(updated
                    .collect::<Result<Vec<_>, _>>()
                    .map(|items| items.into_iter().collect())?)
            }
            Self::Object(object) => {
                let mut updated = Fields::default();
                for (name, value) in fields(object) {
                    if let Some(value) = first(update(value))? {
                        allocate(ENTRY_BYTES);
                        updated.insert(name, value);
                    }
                }
                Ok(Self::object(updated))
            }
            other => opt.fail(other, |other| Error::typ(other, "array or object").into()),
        }
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        index: &Self,
        opt: Opt,
        update: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        match (self, index) {
            (Self::Null, Self::Text(name)) => {
                let value = first(update(Self::Null))?;
                let field = value.map(|value| (name.clone(), value));
                Ok(Self::object(Fields::from_distinct(field.into_iter())))
            }
            (Self::Object(object), Self::Text(name)) => {
                let mut all = fields(object);
                let old = all.get(name).cloned().unwrap_or(Self::Null);
                match first(update(old))? {
                    Some(value) => {
                        allocate(ENTRY_BYTES);
                        all.insert(name.clone(), value);
                    }
                    None => all.remove(name),
                }
                Ok(Self::object(all))
            }
            (Self::Array(array), Self::Number(_)) => {
                let mut all = items(array);
                let Some(at) = index.as_index(all.len()).filter(|at| *at < all.len()) else {
                    let message = format!("there is no element {index}");
                    return opt.fail(Self::array(all), |_| Error::str(message).into());
                };
                match first(update(all[at].clone()))? {
                    Some(value) => all[at] = value,
                    None => drop(all.remove(at)),
                }
                Ok(Self::array(all))
            }
            (other, _) => opt.fail(other, |other| Error::index(other, index.clone()).into()),
        }
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        range: Range<&Self>,
        opt: Opt,
        update: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        match self {
            Self::Array(array) => {
                let mut all = items(array);
                let (start, end) = bounds(&range, all.len())?;
                let part = all[start..end].iter().cloned().collect();
                let new = match first(update(part))? {
                    Some(Self::Array(new)) => items(new),
                    Some(other) => return Err(Error::typ(other, "array").into()),
                    None => Vec::new(),
                };
                allocate(new.len() * VALUE_BYTES);
                all.splice(start..end, new);
                Ok(Self::array(all))
            }
            other => opt.fail(other, |other| Error::typ(other, "array").into()),
        }
    }

    fn as_bool(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    fn into_string(self) -> Self {
        match self {
            Self::Text(_) => self,
            other => Self::text(other.into_json().to_string()),
        }
    }
}

impl jaq_std::ValT for Value {
    fn into_seq<S: FromIterator<Self>>(self) -> Result<S, Self> {
        match self {
            Self::Array(array) => Ok(items(array).into_iter().collect()),
            other => Err(other),
        }
    }

    fn is_int(&self) -> bool {
        matches!(self, Self::Number(number) if !number.is_f64())
    }

    fn as_isize(&self) -> Option<isize> {
        let Self::Number(number) = self else { return None };
        number.as_i64().and_then(|integer| isize::try_from(integer).ok())
    }

    fn as_f64(&self) -> Option<f64> {
        let Self::Number(number) = self else { return None };
        number.as_f64()
    }

    fn is_utf8_str(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        self.as_str().map(str::as_bytes)
    }

    fn as_sub_str(&self, part: &[u8]) -> Self {
        Self::text(String::from_utf8_lossy(part).into_owned())
    }

    fn from_utf8_bytes(bytes: impl AsRef<[u8]> + Send + 'static) -> Self {
        Self::text(String::from_utf8_lossy(bytes.as_ref()).into_owned())
    }
}
