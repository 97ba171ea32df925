//! The definitions and functions that filters may use.

use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use jaq_core::load::{self, parse::Def};
use jaq_core::native::{Fun, bome, unary, v};
use jaq_core::{Error, Native, RunPtr};

use super::filter::Kind;
use super::limits::allocate;
use super::value::Value;

/// The definitions of jq's standard library that filters may use, beside those of [`jaq_core::defs`]. Left
/// out is what reads the environment, the clock, or needs further crates.
const STANDARD_DEFINITIONS: &[&str] = &[
    "null",
    "isboolean",
    "isnumber",
    "isstring",
    "isarray",
    "isobject",
    "abs",
    "type",
    "values",
    "nulls",
    "booleans",
    "numbers",
    "strings",
    "arrays",
    "objects",
    "iterables",
    "scalars",
    "add",
    "min_by",
    "max_by",
    "min",
    "max",
    "unique_by",
    "unique",
    "pick",
    "keys",
    "flatten",
    "@text",
    "@base64",
    "@base64d",
    "@sh",
];

/// Further definitions.
const OWN_DEFINITIONS: &str = r#"
def split($separator): . / $separator;
def basename: split("/") | last // "";
def extension: basename | split(".") | if length > 1 then last else "" end;
def tonumber: if isnumber then . else fromjson | if isnumber then . else error("no number") end end;
"#;

/// All definitions, parsed once.
pub(super) fn definitions() -> impl Iterator<Item = Def<&'static str>> {
    static PARSED: OnceLock<Vec<Def<&'static str>>> = OnceLock::new();
    PARSED.get_or_init(|| parsed().collect()).iter().cloned()
}

fn parsed() -> impl Iterator<Item = Def<&'static str>> {
    let standard = jaq_std::defs().filter(|def| STANDARD_DEFINITIONS.contains(&def.name));
    let own = load::parse(OWN_DEFINITIONS, |parser| parser.defs()).unwrap_or_default();
    jaq_core::defs().chain(standard).chain(own)
}

/// The functions that are not written in jq.
pub(super) fn functions() -> impl Iterator<Item = Fun<Kind>> {
    // `halt` would end the process.
    let base = jaq_std::base_funs::<Kind>().filter(|(name, ..)| *name != "halt");
    jaq_core::funs::<Kind>().chain(base).chain(own_functions())
}

fn own_functions() -> impl Iterator<Item = Fun<Kind>> {
    let functions: [(&'static str, _, RunPtr<Kind>); 9] = [
        ("length", v(0), |cv| bome(cv.1.length())),
        ("has", v(1), |cv| unary(cv, |value, key| value.has(&key))),
        ("contains", v(1), |cv| unary(cv, |value, part| Ok(value.contains(&part).into()))),
        ("tojson", v(0), |cv| bome(Ok(Value::text(cv.1.into_json().to_string())))),
        ("drop_nulls", v(0), |cv| bome(Ok(cv.1.without_nulls()))),
        ("fromjson", v(0), |cv| bome(from_json(&cv.1))),
        ("encode_base64", v(0), |cv| bome(encode_base64(&cv.1))),
        ("decode_base64", v(0), |cv| bome(decode_base64(&cv.1))),
        ("byte_slice", v(2), |mut cv| {
            let (end, start) = (cv.0.pop_var(), cv.0.pop_var());
            bome(byte_slice(&cv.1, &start, &end))
        }),
    ];
    functions
        .into_iter()
        .map(|(name, parameters, run)| (name, parameters, Native::<Kind>::new(run)))
}

fn text_of(value: &Value) -> Result<&str, Error<Value>> {
    value.as_str().ok_or_else(|| Error::typ(value.clone(), "string"))
}

fn from_json(value: &Value) -> Result<Value, Error<Value>> {
    let text = text_of(value)?;
    allocate(text.len().saturating_mul(16));
    let parsed = serde_json::from_str(text);
    parsed.map(Value::from_json).map_err(|error| Error::str(format_args!("no JSON: {error}")))
}

fn encode_base64(value: &Value) -> Result<Value, Error<Value>> {
    Ok(Value::text(BASE64.encode(text_of(value)?)))
}

fn decode_base64(value: &Value) -> Result<Value, Error<Value>> {
    let bytes = BASE64.decode(text_of(value)?);
    let bytes = bytes.map_err(|error| Error::str(format_args!("no base64: {error}")))?;
    let text = String::from_utf8(bytes);
    text.map(Value::text).map_err(|_| Error::str("the bytes are no UTF-8 text"))
}

/// The bytes from `start` to before `end` (null: to the end), less what would be half a character.
fn byte_slice(value: &Value, start: &Value, end: &Value) -> Result<Value, Error<Value>> {
    let text = text_of(value)?;
    let byte = |bound: &Value, default: usize| {
        let bound = jaq_std::ValT::as_isize(bound).and_then(|byte| usize::try_from(byte).ok());
        text.floor_char_boundary(bound.unwrap_or(default).min(text.len()))
    };
    let (start, end) = (byte(start, 0), byte(end, text.len()));
    Ok(Value::text(text[start..end.max(start)].to_owned()))
}
