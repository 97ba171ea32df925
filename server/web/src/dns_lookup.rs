//! `dns_lookup`: the DNS records of a name.

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use hickory_resolver::TokioResolver;
use hickory_resolver::proto::rr::{Name, RecordType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::client::Client;
use crate::failure::Failure;
use crate::limits::{DNS_TIMEOUT, MAX_DNS_RECORDS};
use crate::resolve::{resolver, resolver_at};
use crate::result_text::{push, push_rest};
use crate::target::{Endpoint, HostName};

pub(crate) struct DnsLookup;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The name, or an address for its name (PTR).
    hostname: String,
    /// `A`, `AAAA`, `CNAME`, `MX`, `NS`, `TXT`, `SOA`, `SRV`, `CAA`, `PTR`, `HTTPS`, `SVCB`, `TLSA`, … By
    /// default the addresses.
    #[serde(default)]
    record_type: Option<String>,
    /// The server to ask, as an address with or without a port, instead of the machine's own. Needs its own
    /// approval.
    #[serde(default)]
    server: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the name exists.
    exists: bool,
    /// The records.
    records: Vec<Record>,
    /// Whether records were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The duration in milliseconds.
    time_ms: f64,
}

#[derive(Serialize, JsonSchema)]
struct Record {
    /// The name that has it; another one after aliases.
    name: String,
    /// Its type.
    #[serde(rename = "type")]
    kind: String,
    /// Its value, as in a zone file.
    value: String,
    /// For how many seconds it is valid.
    ttl: u32,
}

/// Types that are no records of a name: transfers of whole zones, and parts of the protocol.
const REFUSED_TYPES: &[RecordType] = &[
    RecordType::AXFR,
    RecordType::IXFR,
    RecordType::OPT,
    RecordType::TSIG,
    RecordType::SIG,
    RecordType::NULL,
    RecordType::ZERO,
];

/// A lookup whose parameters are checked.
struct Lookup {
    name: Name,
    types: Vec<RecordType>,
    server: Option<SocketAddr>,
}

impl Params {
    fn check(&self) -> Result<Lookup, ToolError> {
        let tool = DnsLookup::NAME;
        let invalid = |why: String| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        let host = HostName::parse(tool, &self.hostname)?;
        let types = match (&self.record_type, &host) {
            (None, HostName::Name(_)) => vec![RecordType::A, RecordType::AAAA],
            (None, HostName::Address(_)) => vec![RecordType::PTR],
            (Some(written), _) => {
                let parsed = written.to_ascii_uppercase().parse().ok();
                let parsed = parsed.filter(|kind| !REFUSED_TYPES.contains(kind));
                let kind: RecordType = parsed.ok_or_else(|| {
                    invalid(format!("`{written:.30}` is no type of records that can be looked up"))
                        .hint("A, AAAA, CNAME, MX, NS, TXT, SOA, SRV, CAA, PTR, HTTPS, SVCB, TLSA")
                })?;
                vec![kind]
            }
        };
        let name = match &host {
            HostName::Address(address) => Name::from(*address),
            HostName::Name(name) => Name::from_ascii(format!("{name}."))
                .map_err(|error| invalid(format!("`{name}`: {error}")))?,
        };
        let server = self.server.as_deref().map(|server| {
            let address = server.parse().or_else(|_| {
                let bare = server.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                bare.unwrap_or(server).parse().map(|ip: IpAddr| SocketAddr::new(ip, DNS_PORT))
            });
            address.map_err(|_| {
                invalid(format!("server: `{server:.60}` is no address"))
                    .hint("write `9.9.9.9`, `127.0.0.1:5353` or `[2620:fe::fe]:53`")
            })
        });
        Ok(Lookup { name, types, server: server.transpose()? })
    }
}

const DNS_PORT: u16 = 53;

impl Lookup {
    /// The servers of the name see the question, so it is an effect on that name.
    fn effects(&self) -> Vec<Effect> {
        let name = self.name.to_ascii();
        let mut effects = vec![Effect::network(format!("{} (DNS)", name.trim_end_matches('.')))];
        effects.extend(self.server.map(|server| {
            Endpoint { host: HostName::Address(server.ip()), port: server.port() }.effect()
        }));
        effects
    }
}

impl Tool for DnsLookup {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "dns_lookup";
    const DESCRIPTION: &'static str = "Look up the DNS records of a name: addresses by default, or another \
        type such as MX or TXT. A name without such records is a result. Needs approval of the name.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("host", "hostname"),
        ("name", "hostname"),
        ("domain", "hostname"),
        ("type", "record_type"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(params.check()?.effects())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let lookup = params.check()?;
        let resolver = match lookup.server {
            Some(server) => resolver_at(tool, server)?,
            None => resolver(tool, &context.session.policy.network_settings())?,
        };
        let granted = lookup.effects().swap_remove(0);
        let mut client = Client::new(context, tool, granted, DNS_TIMEOUT)?;
        let started = Instant::now();
        let found = client.step(records(&resolver, &lookup)).map_err(|failure| failure.of(tool))?;
        let time_ms = (started.elapsed().as_secs_f64() * 100_000.0).round() / 100.0;
        let Found { exists, mut records } = found;
        let truncated = records.len() > MAX_DNS_RECORDS;
        records.truncate(MAX_DNS_RECORDS);
        let note = match (exists, records.is_empty()) {
            (false, _) => Some("the name does not exist".to_owned()),
            (true, true) => Some("the name exists, but has no such record".to_owned()),
            _ => None,
        };
        Ok(Output { exists, records, truncated, note, time_ms })
    }
}

struct Found {
    exists: bool,
    records: Vec<Record>,
}

async fn records(resolver: &TokioResolver, lookup: &Lookup) -> Result<Found, Failure> {
    let mut found = Found { exists: true, records: Vec::new() };
    for kind in &lookup.types {
        match resolver.lookup(lookup.name.clone(), *kind).await {
            Ok(answer) => {
                for record in answer.answers() {
                    let record = Record {
                        name: record.name.to_ascii().trim_end_matches('.').to_owned(),
                        kind: record.record_type().to_string(),
                        value: record.data.to_string(),
                        ttl: record.ttl,
                    };
                    let same = |known: &Record| {
                        (&known.name, &known.kind, &known.value)
                            == (&record.name, &record.kind, &record.value)
                    };
                    // Aliases come with each type.
                    if !found.records.iter().any(same) {
                        found.records.push(record);
                    }
                }
            }
            Err(error) if error.is_nx_domain() => found.exists = false,
            Err(error) if error.is_no_records_found() => {}
            Err(error) => {
                let name = lookup.name.to_ascii().trim_end_matches('.').to_owned();
                return Err(Failure::Lookup { name, why: error.to_string() });
            }
        }
    }
    found.exists |= !found.records.is_empty();
    Ok(found)
}

fn text(result: &Value) -> String {
    let mut text = String::new();
    for record in result["records"].as_array().into_iter().flatten() {
        let field = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        let ttl = record["ttl"].as_u64().unwrap_or_default();
        push(
            &mut text,
            format_args!("{} {ttl} {} {}", field("name"), field("type"), field("value")),
        );
    }
    push_rest(&mut text, result);
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(hostname: &str, server: Option<&str>) -> Result<Vec<Effect>, Code> {
        let server = server.map(str::to_owned);
        let params = Params { hostname: hostname.to_owned(), record_type: None, server };
        params.check().map(|lookup| lookup.effects()).map_err(|error| error.code)
    }

    #[test]
    fn a_lookup_names_what_it_reveals() {
        let name = || Effect::network("example.com (DNS)");
        assert_eq!(effects("Example.com.", None), Ok(vec![name()]));
        let own = Effect::network("127.0.0.1:5353 (loopback)");
        assert_eq!(effects("example.com", Some("127.0.0.1:5353")), Ok(vec![name(), own]));
        let public = Effect::network("[2620:fe::fe]:53");
        assert_eq!(effects("example.com", Some("[2620:fe::fe]")), Ok(vec![name(), public]));
        let reverse = Effect::network("1.2.0.192.in-addr.arpa (DNS)");
        assert_eq!(effects("192.0.2.1", None), Ok(vec![reverse]));
        for (host, server) in [("a b", None), ("", None), ("a", Some("ns.example")), ("*", None)] {
            assert_eq!(effects(host, server), Err(Code::InvalidParams), "{host}");
        }
        for kind in ["AXFR", "OPT", "nonsense", ""] {
            let record_type = Some(kind.to_owned());
            let params = Params { hostname: "a.example".to_owned(), record_type, server: None };
            assert!(params.check().is_err(), "{kind}");
        }
    }
}
