//! The last points of an InfluxDB, by the HTTP API of its version 1.

use std::fmt::Write;
use std::time::Duration;

use http::Method;
use serde_json::Value;
use tools::{Code, Context, Effect, ToolError, default_influx_database};
use web::{ApiRequest, Target, call_api};

use crate::backend::{key_headers, key_of, parse_url, quoted};
use crate::limits::{INFLUX_SECS, MAX_COLUMNS, MAX_MEASUREMENTS, MAX_REPLY_BYTES, MAX_VALUE_CHARS};
use crate::redaction;

/// A database to report on.
pub(crate) struct Influx {
    base: Target,
    database: String,
    /// The environment variable of its token.
    key_env: Option<String>,
}

impl Influx {
    /// The database that a call names, or the settings; `None` if neither does.
    pub(crate) fn chosen(
        context: &Context<'_>,
        tool: &str,
        url: Option<&str>,
        database: Option<&str>,
    ) -> Result<Option<Self>, ToolError> {
        let configured = context.session.policy.model_settings().influx;
        let parsed = configured.as_ref().map(|of| parse_url(tool, "models.influx.url", &of.url));
        let (base, key_env) = match (url, parsed.transpose()?) {
            (Some(url), configured_base) => {
                let base = Target::parse(tool, url)?;
                // The token is for the server of the settings.
                let is_known = configured_base.is_some_and(|known| {
                    known.url.scheme() == base.url.scheme() && known.endpoint == base.endpoint
                });
                (base, configured.as_ref().filter(|_| is_known).and_then(|of| of.key_env.clone()))
            }
            (None, Some(base)) => (base, configured.as_ref().and_then(|of| of.key_env.clone())),
            (None, None) if database.is_some() => {
                let message = format!("{tool}: `influx_db` needs an `influx_url`");
                return Err(ToolError::new(Code::InvalidParams, message)
                    .hint("pass it, or set `models.influx.url` in your config.toml"));
            }
            (None, None) => return Ok(None),
        };
        let database = database.map(str::to_owned);
        let database = database.or(configured.map(|of| of.database));
        let database = database.unwrap_or_else(default_influx_database);
        Ok(Some(Self { base, database, key_env }))
    }

    /// The effect of its queries.
    pub(crate) fn effect(&self) -> Effect {
        let detail = format!("read the last points of the InfluxDB {}", self.database);
        self.base.endpoint.effect().with_detail(detail)
    }

    /// Its measurements with the last point of each, one a line.
    pub(crate) fn report(
        &self,
        context: &Context<'_>,
        tool: &'static str,
    ) -> Result<String, ToolError> {
        let key = key_of(tool, "the InfluxDB", self.key_env.as_deref())?;
        let query = |text: &str| self.query(context, tool, key.as_deref(), text);
        let names = query("SHOW MEASUREMENTS")?;
        let names = names["results"][0]["series"][0]["values"].as_array();
        let names: Vec<&str> =
            names.into_iter().flatten().filter_map(|row| row[0].as_str()).collect();
        let mut report = format!("InfluxDB {} at {}:", self.database, self.base.url.as_str());
        if names.is_empty() {
            report.push_str(" no measurements");
            return Ok(report);
        }
        let statements = names.iter().take(MAX_MEASUREMENTS).map(|name| {
            let name = name.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
            format!("SELECT * FROM \"{name}\" ORDER BY time DESC LIMIT 1")
        });
        let last = query(&statements.collect::<Vec<_>>().join("; "))?;
        for result in last["results"].as_array().into_iter().flatten().take(MAX_MEASUREMENTS) {
            for series in result["series"].as_array().into_iter().flatten().take(1) {
                let _ = write!(report, "\n{}", point(series));
            }
        }
        if names.len() > MAX_MEASUREMENTS {
            let _ = write!(report, "\n{} more measurements", names.len() - MAX_MEASUREMENTS);
        }
        Ok(report)
    }

    fn query(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        key: Option<&str>,
        text: &str,
    ) -> Result<Value, ToolError> {
        let failed = |code: Code, why: String| {
            let why = redaction::text(key, why);
            let message = format!("{tool}: the InfluxDB at {}: {why}", self.base.endpoint);
            ToolError::new(code, message)
                .hint("start it, or check `influx_url` and `models.influx` in your config.toml")
        };
        let mut target = self.base.clone();
        let base = target.url.path().trim_end_matches('/').to_owned();
        target.url.set_path(&format!("{base}/query"));
        let pairs = [("db", self.database.as_str()), ("q", text)];
        target.url.query_pairs_mut().clear().extend_pairs(pairs);
        let request = ApiRequest {
            target: &target,
            method: Method::GET,
            headers: key_headers(tool, "Token", key)?,
            body: Vec::new(),
            timeout: Duration::from_secs(INFLUX_SECS),
            retries: 1,
            max_bytes: MAX_REPLY_BYTES,
        };
        let reply = call_api(context, tool, request, &mut |_| true)?;
        if let Some((code, why)) = reply.cut {
            return Err(failed(code, format!("its answer is not whole: {why}")));
        }
        let value: Option<Value> = serde_json::from_slice(&reply.body).ok();
        let errors =
            value.iter().flat_map(|value| [&value["error"], &value["results"][0]["error"]]);
        let error = errors.filter_map(Value::as_str).map(quoted).next();
        match (reply.status, value, error) {
            (200, Some(mut value), None) => {
                redaction::json(key, &mut value);
                Ok(value)
            }
            (200, None, _) => Err(failed(Code::Unsupported, "its answer is no JSON".to_owned())),
            (status, _, Some(error)) => {
                Err(failed(Code::Unavailable, format!("it answered with status {status}: {error}")))
            }
            (status, ..) => {
                Err(failed(Code::Unavailable, format!("it answered with status {status}")))
            }
        }
    }
}

/// A point on one line: the measurement, then each field that has a value.
fn point(series: &Value) -> String {
    let mut line = quoted(series["name"].as_str().unwrap_or("?"));
    line.push(':');
    let columns = series["columns"].as_array().into_iter().flatten();
    let values = series["values"][0].as_array().into_iter().flatten();
    for (column, value) in
        columns.zip(values).filter(|(_, value)| !value.is_null()).take(MAX_COLUMNS)
    {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let value: String = quoted(&value).chars().take(MAX_VALUE_CHARS).collect();
        let _ = write!(line, " {}={value}", quoted(column.as_str().unwrap_or("?")));
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn points_are_lines() {
        let series = json!({ "name": "training_loss", "columns": ["time", "loss", "note", "run"],
            "values": [["2026-01-01T00:00:00Z", 0.25, null, "a\nb"]] });
        assert_eq!(point(&series), "training_loss: time=2026-01-01T00:00:00Z loss=0.25 run=a b");
        for odd in [json!(null), json!({ "name": 3 }), json!({ "columns": [1], "values": [[1]] })] {
            assert!(point(&odd).starts_with("?:"));
        }
    }
}
