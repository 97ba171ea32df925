//! `get_datetime`: the current date and time.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GetDatetime;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// An IANA time zone such as `Europe/Berlin`; the machine's by default.
    #[serde(default)]
    timezone: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Date, time and UTC offset (RFC 3339), for instance `2031-05-04T14:00:00+02:00`.
    iso: String,
    /// The same in UTC.
    utc: String,
    /// Seconds since 1970.
    unix: i64,
    /// The date, for instance `2031-05-04`.
    date: String,
    /// The time of day, for instance `14:00:00`.
    time: String,
    /// The day of the week in English.
    weekday: String,
    /// The time zone; its offset if it has no name.
    timezone: String,
}

impl Tool for GetDatetime {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_datetime";
    const DESCRIPTION: &'static str = "The current date and time in several formats, in the \
        machine's time zone or a given one.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("tz", "timezone"), ("time_zone", "timezone")];
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"timezone": "UTC"}"#];

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(_: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let zone = match params.timezone.as_deref() {
            None => super::time_zone(),
            Some(name) => TimeZone::get(name).map_err(|_| {
                let message = format!("{}: unknown time zone `{name:.60}`", Self::NAME);
                ToolError::new(Code::InvalidParams, message)
                    .hint("pass an IANA name such as `Europe/Berlin`, or omit it")
            })?,
        };
        Ok(output(Timestamp::now(), &zone))
    }
}

fn output(now: Timestamp, zone: &TimeZone) -> Output {
    let at: Zoned = now.to_zoned(zone.clone());
    Output {
        iso: at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        utc: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        unix: now.as_second(),
        date: at.strftime("%Y-%m-%d").to_string(),
        time: at.strftime("%H:%M:%S").to_string(),
        weekday: at.strftime("%A").to_string(),
        timezone: zone.iana_name().map_or_else(|| at.strftime("%:z").to_string(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_in_a_zone_with_summer_time() {
        let now: Timestamp = "2031-05-04T12:00:00.5Z".parse().unwrap();
        let output = output(now, &TimeZone::get("Europe/Berlin").unwrap());
        assert_eq!(output.iso, "2031-05-04T14:00:00+02:00");
        assert_eq!(output.utc, "2031-05-04T12:00:00Z");
        assert_eq!((output.date.as_str(), output.time.as_str()), ("2031-05-04", "14:00:00"));
        assert_eq!((output.weekday.as_str(), output.unix), ("Sunday", 1_935_662_400));
        assert_eq!(output.timezone, "Europe/Berlin");
    }
}
