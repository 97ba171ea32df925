//! Parses dates as people write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use tools::{Code, ToolError};

/// Parses a time into seconds since 1970: `2025-01-15T10:30:00Z`, `2025-01-15` (its start, or its
/// end with `to_end`; UTC), seconds since 1970, `3 days ago`, `yesterday`.
pub(super) fn seconds(tool: &str, written: &str, to_end: bool) -> Result<i64, ToolError> {
    parse(written.trim(), to_end, Timestamp::now()).ok_or_else(|| {
        let quoted: String = written.chars().take(60).collect();
        let message = format!("{tool}: `{quoted}` is no time");
        ToolError::new(Code::InvalidParams, message)
            .hint("write it as 2025-01-15, 2025-01-15T10:30:00Z, or `3 days ago`")
    })
}

const SECONDS_PER_DAY: i64 = 86_400;

fn parse(written: &str, to_end: bool, now: Timestamp) -> Option<i64> {
    if let Ok(timestamp) = written.parse::<Timestamp>() {
        return Some(timestamp.as_second());
    }
    let of = |time: DateTime| Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second());
    // A date with a time also parses as a date.
    if written.len() > 10
        && let Ok(time) = written.parse::<DateTime>()
    {
        return of(time);
    }
    if let Ok(date) = written.parse::<Date>() {
        let start = of(date.to_datetime(jiff::civil::Time::midnight()))?;
        return Some(if to_end { start + SECONDS_PER_DAY - 1 } else { start });
    }
    if written.len() >= 9 && written.bytes().all(|byte| byte.is_ascii_digit()) {
        return written.parse().ok();
    }
    let now = now.as_second();
    match written.to_ascii_lowercase().as_str() {
        "now" => return Some(now),
        "today" => return Some(now - now.rem_euclid(SECONDS_PER_DAY)),
        "yesterday" => return Some(now - SECONDS_PER_DAY),
        _ => {}
    }
    let lower = written.to_ascii_lowercase().replace('.', " ");
    let words: Vec<&str> = lower.split_whitespace().collect();
    let [number, unit, "ago"] = words.as_slice() else { return None };
    let number: i64 = match *number {
        "a" | "an" | "one" => 1,
        number => number.parse().ok().filter(|number| (0..1_000_000).contains(number))?,
    };
    let unit = match unit.trim_end_matches('s') {
        "second" | "sec" => 1,
        "minute" | "min" => 60,
        "hour" => 3_600,
        "day" => SECONDS_PER_DAY,
        "week" => 7 * SECONDS_PER_DAY,
        "month" => 30 * SECONDS_PER_DAY,
        "year" => 365 * SECONDS_PER_DAY,
        _ => return None,
    };
    Some(now - number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_common_time_formats() {
        let now = Timestamp::from_second(1_736_937_000).unwrap();
        for (written, seconds) in [
            ("2025-01-15T10:30:00Z", Some(1_736_937_000)),
            ("2025-01-15T12:30:00+02:00", Some(1_736_937_000)),
            ("2025-01-15 10:30:00", Some(1_736_937_000)),
            ("2025-01-15", Some(1_736_899_200)),
            ("1736937000", Some(1_736_937_000)),
            ("2 weeks ago", Some(1_736_937_000 - 14 * SECONDS_PER_DAY)),
            ("1.day.ago", Some(1_736_937_000 - SECONDS_PER_DAY)),
            ("yesterday", Some(1_736_937_000 - SECONDS_PER_DAY)),
            ("soon", None),
            ("-1 day ago", None),
            ("99999999999999 days ago", None),
            ("--output=x", None),
        ] {
            assert_eq!(parse(written, false, now), seconds, "{written}");
        }
        assert_eq!(parse("2025-01-15", true, now), Some(1_736_899_200 + SECONDS_PER_DAY - 1));
    }
}
