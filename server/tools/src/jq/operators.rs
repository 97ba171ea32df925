//! jq's arithmetic on values.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::rc::Rc;

use jaq_core::ops::Math;
use jaq_core::{Error, ValR};
use serde_json::Number;

use super::limits::{allocate, step};
use super::value::{ENTRY_BYTES, VALUE_BYTES, Value, fields, items, whole};

/// Calculates with whole numbers if both are and the result fits, else with fractions.
fn calculate(
    one: &Number,
    two: &Number,
    whole: fn(i64, i64) -> Option<i64>,
    fraction: fn(f64, f64) -> f64,
) -> Value {
    let result = one.as_i64().zip(two.as_i64()).and_then(|(one, two)| whole(one, two));
    match result {
        Some(integer) => Value::Number(integer.into()),
        None => {
            let float = |number: &Number| number.as_f64().unwrap_or_default();
            fraction(float(one), float(two)).into()
        }
    }
}

impl Add for Value {
    type Output = ValR<Self>;

    fn add(self, other: Self) -> ValR<Self> {
        step();
        Ok(match (self, other) {
            (Self::Null, value) | (value, Self::Null) => value,
            (Self::Number(one), Self::Number(two)) => {
                calculate(&one, &two, i64::checked_add, |one, two| one + two)
            }
            (Self::Text(one), Self::Text(two)) => {
                allocate(two.len());
                let mut text = Rc::try_unwrap(one).unwrap_or_else(|one| {
                    allocate(one.len());
                    one.as_ref().clone()
                });
                text.push_str(&two);
                Self::Text(Rc::new(text))
            }
            (Self::Array(one), Self::Array(two)) => {
                let (mut all, two) = (items(one), items(two));
                allocate(two.len() * VALUE_BYTES);
                all.extend(two);
                Self::array(all)
            }
            (Self::Object(one), Self::Object(two)) => {
                let (mut all, two) = (fields(one), fields(two));
                allocate(two.len() * ENTRY_BYTES);
                all.extend(two);
                Self::object(all)
            }
            (one, two) => return Err(Error::math(one, Math::Add, two)),
        })
    }
}

impl Sub for Value {
    type Output = ValR<Self>;

    fn sub(self, other: Self) -> ValR<Self> {
        step();
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => {
                Ok(calculate(&one, &two, i64::checked_sub, |one, two| one - two))
            }
            (Self::Array(one), Self::Array(two)) => {
                let mut all = items(one);
                all.retain(|value| !two.items.contains(value));
                Ok(Self::array(all))
            }
            (one, two) => Err(Error::math(one, Math::Sub, two)),
        }
    }
}

impl Mul for Value {
    type Output = ValR<Self>;

    fn mul(self, other: Self) -> ValR<Self> {
        step();
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => {
                Ok(calculate(&one, &two, i64::checked_mul, |one, two| one * two))
            }
            (Self::Text(text), Self::Number(times)) | (Self::Number(times), Self::Text(text)) => {
                let times =
                    times.as_f64().and_then(whole).and_then(|times| usize::try_from(times).ok());
                match times.filter(|times| *times > 0) {
                    None => Ok(Self::Null),
                    Some(times) => {
                        allocate(text.len().saturating_mul(times));
                        Ok(Self::Text(Rc::new(text.repeat(times))))
                    }
                }
            }
            (Self::Object(one), Self::Object(two)) => {
                let (mut all, two) = (fields(one), fields(two));
                for (name, value) in two {
                    allocate(ENTRY_BYTES);
                    let old = all.get(&name).cloned();
                    let merged = match (old, value) {
                        (Some(old @ Self::Object(_)), new @ Self::Object(_)) => (old * new)?,
                        (_, new) => new,
                    };
                    all.insert(name, merged);
                }
                Ok(Self::object(all))
            }
            (one, two) => Err(Error::math(one, Math::Mul, two)),
        }
    }
}

impl Div for Value {
    type Output = ValR<Self>;

    fn div(self, other: Self) -> ValR<Self> {
        step();
        match (self, other) {
            (Self::Number(one), Self::Number(two)) if two.as_f64() != Some(0.0) => {
                let exact = |one: i64, two: i64| {
                    one.checked_rem(two).filter(|rest| *rest == 0).map(|_| one / two)
                };
                Ok(calculate(&one, &two, exact, |one, two| one / two))
            }
            (Self::Text(text), Self::Text(separator)) => {
                if text.is_empty() {
                    return Ok(Self::array(Vec::new()));
                }
                let text_of = |part: &str| Self::text(part.to_owned());
                Ok(if separator.is_empty() {
                    text.chars().map(|one| Self::text(one.to_string())).collect()
                } else {
                    text.split(separator.as_str()).map(text_of).collect()
                })
            }
            (one, two) => Err(Error::math(one, Math::Div, two)),
        }
    }
}

impl Rem for Value {
    type Output = ValR<Self>;

    fn rem(self, other: Self) -> ValR<Self> {
        step();
        match (self, other) {
            (Self::Number(one), Self::Number(two)) if two.as_f64() != Some(0.0) => {
                Ok(calculate(&one, &two, i64::checked_rem, |one, two| one % two))
            }
            (one, two) => Err(Error::math(one, Math::Rem, two)),
        }
    }
}

impl Neg for Value {
    type Output = ValR<Self>;

    fn neg(self) -> ValR<Self> {
        Self::from(0usize) - self
    }
}
