//! Values of the binary protocol.

use serde_json::Value;

use super::packet::Reader;
use super::unexpected;
use crate::failure::Failure;
use crate::value::{blob, float, integer, json_text, text};

const DECIMAL: u8 = 0x00;
const TINY: u8 = 0x01;
const SHORT: u8 = 0x02;
const LONG: u8 = 0x03;
const FLOAT: u8 = 0x04;
const DOUBLE: u8 = 0x05;
const NULL: u8 = 0x06;
const TIMESTAMP: u8 = 0x07;
const LONG_LONG: u8 = 0x08;
const INT24: u8 = 0x09;
const DATE: u8 = 0x0a;
const TIME: u8 = 0x0b;
const DATETIME: u8 = 0x0c;
const YEAR: u8 = 0x0d;
const VARCHAR: u8 = 0x0f;
const BIT: u8 = 0x10;
const JSON: u8 = 0xf5;
const NEW_DECIMAL: u8 = 0xf6;
const ENUM: u8 = 0xf7;
const SET: u8 = 0xf8;
const TINY_BLOB: u8 = 0xf9;
const BLOB: u8 = 0xfc;
const VAR_STRING: u8 = 0xfd;
const STRING: u8 = 0xfe;
const GEOMETRY: u8 = 0xff;

/// The character set of bytes.
const BINARY: u16 = 63;
const UNSIGNED: u16 = 0x20;

/// The type of a column.
pub(super) struct ColumnType {
    code: u8,
    charset: u16,
    is_unsigned: bool,
}

impl ColumnType {
    /// Reads a column's definition: its name and its type.
    pub(super) fn read(packet: &[u8]) -> Result<(String, Self), Failure> {
        let mut reader = Reader::new(packet);
        for _ in 0..4 {
            reader.text()?;
        }
        let name = String::from_utf8_lossy(reader.text()?).into_owned();
        reader.text()?;
        reader.number()?;
        let charset = reader.u16()?;
        reader.u32()?;
        let code = reader.u8()?;
        let is_unsigned = reader.u16()? & UNSIGNED != 0;
        Ok((name, Self { code, charset, is_unsigned }))
    }

    pub(super) fn name(&self) -> &'static str {
        let is_binary = self.charset == BINARY;
        match (self.code, self.is_unsigned) {
            (DECIMAL | NEW_DECIMAL, _) => "decimal",
            (TINY, false) => "tinyint",
            (TINY, true) => "tinyint unsigned",
            (SHORT, false) => "smallint",
            (SHORT, true) => "smallint unsigned",
            (INT24, false) => "mediumint",
            (INT24, true) => "mediumint unsigned",
            (LONG, false) => "int",
            (LONG, true) => "int unsigned",
            (LONG_LONG, false) => "bigint",
            (LONG_LONG, true) => "bigint unsigned",
            (FLOAT, _) => "float",
            (DOUBLE, _) => "double",
            (TIMESTAMP, _) => "timestamp",
            (DATETIME, _) => "datetime",
            (DATE, _) => "date",
            (TIME, _) => "time",
            (YEAR, _) => "year",
            (BIT, _) => "bit",
            (JSON, _) => "json",
            (ENUM, _) => "enum",
            (SET, _) => "set",
            (GEOMETRY, _) => "geometry",
            (TINY_BLOB..=BLOB, _) if is_binary => "blob",
            (TINY_BLOB..=BLOB, _) => "text",
            (VARCHAR | VAR_STRING, _) if is_binary => "varbinary",
            (VARCHAR | VAR_STRING, _) => "varchar",
            (STRING, _) if is_binary => "binary",
            (STRING, _) => "char",
            (NULL, _) => "null",
            _ => "unknown",
        }
    }

    fn value(&self, reader: &mut Reader<'_>) -> Result<Value, Failure> {
        let bits = |unsigned: u64, signed: i64| {
            integer(if self.is_unsigned { unsigned.into() } else { signed.into() })
        };
        Ok(match self.code {
            NULL => Value::Null,
            TINY => {
                let byte = reader.u8()?;
                bits(byte.into(), byte.cast_signed().into())
            }
            SHORT | YEAR => {
                let word = reader.u16()?;
                bits(word.into(), word.cast_signed().into())
            }
            LONG | INT24 => {
                let word = reader.u32()?;
                bits(word.into(), word.cast_signed().into())
            }
            LONG_LONG => {
                let word = reader.u64()?;
                bits(word, word.cast_signed())
            }
            // The shortest text of the float, as a double.
            FLOAT => float(f32::from_bits(reader.u32()?).to_string().parse().unwrap_or(f64::NAN)),
            DOUBLE => float(f64::from_bits(reader.u64()?)),
            DATE | DATETIME | TIMESTAMP => date(reader, self.code != DATE)?.into(),
            TIME => time(reader)?.into(),
            BIT => {
                let bytes = reader.text()?;
                if bytes.len() > 8 {
                    return Err(unexpected());
                }
                integer(bytes.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte)).into())
            }
            JSON => {
                let bytes = reader.text()?;
                std::str::from_utf8(bytes).map_or_else(|_| blob(bytes), json_text)
            }
            GEOMETRY => blob(reader.text()?),
            VARCHAR | VAR_STRING | STRING | TINY_BLOB..=BLOB if self.charset == BINARY => {
                blob(reader.text()?)
            }
            DECIMAL
            | NEW_DECIMAL
            | VARCHAR
            | VAR_STRING
            | STRING
            | ENUM
            | SET
            | TINY_BLOB..=BLOB => text(reader.text()?),
            _ => return Err(unexpected()),
        })
    }
}

/// The values of a row, after its first byte.
pub(super) fn row(bytes: &[u8], kinds: &[ColumnType]) -> Result<Vec<Value>, Failure> {
    let mut reader = Reader::new(bytes);
    // The first two bits are not used.
    let nulls = reader.bytes((kinds.len() + 2).div_ceil(8))?;
    let mut values = Vec::with_capacity(kinds.len());
    for (index, kind) in kinds.iter().enumerate() {
        let bit = index + 2;
        let is_null = nulls[bit / 8] & (1 << (bit % 8)) != 0;
        values.push(if is_null { Value::Null } else { kind.value(&mut reader)? });
    }
    Ok(values)
}

/// A date as ISO 8601. MySQL's zero date stays what it is.
fn date(reader: &mut Reader<'_>, has_time: bool) -> Result<String, Failure> {
    let length = reader.u8()?;
    let (mut year, mut month, mut day) = (0, 0, 0);
    let (mut hour, mut minute, mut second, mut micros) = (0, 0, 0, 0);
    if length >= 4 {
        (year, month, day) = (reader.u16()?, reader.u8()?, reader.u8()?);
    }
    if length >= 7 {
        (hour, minute, second) = (reader.u8()?, reader.u8()?, reader.u8()?);
    }
    if length >= 11 {
        micros = reader.u32()?;
    }
    if !matches!(length, 0 | 4 | 7 | 11) {
        return Err(unexpected());
    }
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    if has_time {
        text.push_str(&format!("T{hour:02}:{minute:02}:{second:02}{}", fraction(micros)));
    }
    Ok(text)
}

/// A time span: `-26:03:04`.
fn time(reader: &mut Reader<'_>) -> Result<String, Failure> {
    let length = reader.u8()?;
    if length == 0 {
        return Ok("00:00:00".to_owned());
    }
    if !matches!(length, 8 | 12) {
        return Err(unexpected());
    }
    let sign = if reader.u8()? == 1 { "-" } else { "" };
    let days = u64::from(reader.u32()?);
    let (hour, minute, second) = (reader.u8()?, reader.u8()?, reader.u8()?);
    let micros = if length == 12 { reader.u32()? } else { 0 };
    let hours = days * 24 + u64::from(hour);
    Ok(format!("{sign}{hours:02}:{minute:02}:{second:02}{}", fraction(micros)))
}

fn fraction(micros: u32) -> String {
    if micros == 0 { String::new() } else { format!(".{micros:06}") }
}

/// Adds parameters with their types to the execution of a statement.
pub(super) fn push_parameters(message: &mut Vec<u8>, parameters: &[Value]) {
    if parameters.is_empty() {
        return;
    }
    let mut nulls = vec![0_u8; parameters.len().div_ceil(8)];
    for (index, value) in parameters.iter().enumerate() {
        if value.is_null() {
            nulls[index / 8] |= 1 << (index % 8);
        }
    }
    message.extend_from_slice(&nulls);
    // Types follow.
    message.push(1);
    let (mut types, mut values) = (Vec::new(), Vec::new());
    for value in parameters {
        let (code, flag) = push_value(&mut values, value);
        types.extend_from_slice(&[code, flag]);
    }
    message.extend_from_slice(&types);
    message.extend_from_slice(&values);
}

fn push_value(values: &mut Vec<u8>, value: &Value) -> (u8, u8) {
    match value {
        Value::Null => (NULL, 0),
        Value::Bool(value) => {
            values.push(u8::from(*value));
            (TINY, 0)
        }
        Value::Number(number) => {
            if let Some(value) = number.as_i64() {
                values.extend_from_slice(&value.to_le_bytes());
                (LONG_LONG, 0)
            } else if let Some(value) = number.as_u64() {
                values.extend_from_slice(&value.to_le_bytes());
                (LONG_LONG, 0x80)
            } else {
                values.extend_from_slice(&number.as_f64().unwrap_or_default().to_le_bytes());
                (DOUBLE, 0)
            }
        }
        Value::String(text) => {
            push_text(values, text);
            (VAR_STRING, 0)
        }
        other => {
            push_text(values, &other.to_string());
            (VAR_STRING, 0)
        }
    }
}

fn push_text(values: &mut Vec<u8>, text: &str) {
    let length = text.len() as u64;
    match length {
        0..=250 => values.push(length as u8),
        251..=0xffff => {
            values.push(0xfc);
            values.extend_from_slice(&length.to_le_bytes()[..2]);
        }
        0x1_0000..=0xff_ffff => {
            values.push(0xfd);
            values.extend_from_slice(&length.to_le_bytes()[..3]);
        }
        _ => {
            values.push(0xfe);
            values.extend_from_slice(&length.to_le_bytes());
        }
    }
    values.extend_from_slice(text.as_bytes());
}
