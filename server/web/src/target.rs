//! URLs and hosts: what a request is sent to, and how policy names it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tools::{Code, Effect, ToolError};
use url::{Host, Url};

use crate::address::AddressKind;
use crate::limits::MAX_URL_BYTES;

/// A URL that every parser reads alike, and that names a host.
#[derive(Debug, Clone)]
pub struct Target {
    /// The URL, without fragment.
    pub url: Url,
    /// Where it leads.
    pub endpoint: Endpoint,
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The host.
    pub host: HostName,
    /// The port.
    pub port: u16,
}

/// A host, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostName {
    /// A name, in lower case and without the final dot.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Target {
    /// Parses a URL that a caller wrote.
    ///
    /// # Errors
    /// If it is no HTTP URL, or if parsers read it differently.
    pub fn parse(tool: &str, written: &str) -> Result<Self, ToolError> {
        let refused = |why: &str| {
            let shown: String = written.chars().take(200).collect();
            ToolError::new(Code::InvalidParams, format!("{tool}: `{shown}`: {why}"))
        };
        if written.len() > MAX_URL_BYTES {
            return Err(refused(&format!("is longer than {MAX_URL_BYTES} bytes")));
        }
        check_characters(written).map_err(|why| {
            refused(&why).hint("percent-encode it; write a host's name in its ASCII form (xn--)")
        })?;
        let url = Url::parse(written).map_err(|error| {
            refused(&error.to_string()).hint("write it whole: `https://example.com/path`")
        })?;
        check_readings(written, &url).map_err(|why| refused(&why))?;
        Self::of_url(tool, url)
    }

    /// Follows the `Location` of a redirect.
    pub(crate) fn redirected(&self, tool: &str, location: &str) -> Result<Self, ToolError> {
        if location.starts_with("//") {
            return Self::parse(tool, &format!("{}:{location}", self.url.scheme()));
        }
        if location.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':')) {
            return Self::parse(tool, location);
        }
        let refused = |why: String| {
            let shown: String = location.chars().take(200).collect();
            let message = format!("{tool}: redirected to `{shown}`: {why}");
            ToolError::new(Code::Unsupported, message).hint("`follow_redirects: false` returns it")
        };
        check_characters(location).map_err(refused)?;
        let url = self.url.join(location).map_err(|error| refused(error.to_string()))?;
        Self::of_url(tool, url)
    }

    fn of_url(tool: &str, mut url: Url) -> Result<Self, ToolError> {
        let refused = |why: &str| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused(&format!("`{}:` is no HTTP URL", url.scheme()))
                .hint("http:// and https:// can be requested; read_file reads files"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("the URL holds a user name or password")
                .hint("pass the header `Authorization` instead"));
        }
        url.set_fragment(None);
        let host = match url.host() {
            Some(Host::Domain(name)) => HostName::parse(tool, name)?,
            Some(Host::Ipv4(address)) => HostName::Address(address.into()),
            Some(Host::Ipv6(address)) => HostName::Address(address.into()),
            None => return Err(refused("the URL names no host")),
        };
        let port = url.port_or_known_default().filter(|port| *port != 0);
        let port = port.ok_or_else(|| refused("port 0 cannot be connected to"))?;
        Ok(Self { endpoint: Endpoint { host, port }, url })
    }

    /// Whether two URLs have the same scheme, host and port.
    pub(crate) fn is_same_origin(&self, other: &Self) -> bool {
        self.url.scheme() == other.url.scheme() && self.endpoint == other.endpoint
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }
}

impl HostName {
    /// Parses a host: a name or an address.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(tool: &str, written: &str) -> Result<Self, ToolError> {
        let bare = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Ok(address) = bare.unwrap_or(written).parse::<IpAddr>() {
            return Ok(Self::Address(address));
        }
        let name = written.strip_suffix('.').unwrap_or(written).to_ascii_lowercase();
        let is_label = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        };
        // A name whose last label is a number is read as an address by some.
        let ends_in_number = name.rsplit('.').next().is_some_and(|label| {
            label.bytes().all(|b| b.is_ascii_digit())
                || label
                    .strip_prefix("0x")
                    .is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
        });
        if name.len() > 253 || !name.split('.').all(is_label) || ends_in_number {
            let shown: String = written.chars().take(100).collect();
            let message = format!("{tool}: `{shown}` is no host's name or address");
            return Err(ToolError::new(Code::InvalidParams, message).hint(
                "write a name (`example.com`, in its ASCII form) or an address (`192.0.2.1`)",
            ));
        }
        Ok(Self::Name(name))
    }

    /// The addresses that are known without a lookup. Names of this machine are never looked up (RFC 6761).
    #[must_use]
    pub fn known_addresses(&self) -> Option<Vec<IpAddr>> {
        match self {
            Self::Address(address) => Some(vec![*address]),
            Self::Name(name) if name == "localhost" || name.ends_with(".localhost") => {
                Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()])
            }
            Self::Name(_) => None,
        }
    }
}

impl std::fmt::Display for HostName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Endpoint {
    /// The effect of a connection, before its name is looked up: `example.com:443`, or
    /// `127.0.0.1:80 (loopback)` if the host says what it is.
    #[must_use]
    pub fn effect(&self) -> Effect {
        let known = self.host.known_addresses();
        let kind = known.and_then(|addresses| addresses.into_iter().map(AddressKind::of).max());
        match kind.and_then(AddressKind::name) {
            Some(kind) => Effect::network(format!("{self} ({kind})")),
            None => Effect::network(self.to_string()),
        }
    }

    /// The further effect of connecting to an address that the name turned out to have; `None` if it is public.
    #[must_use]
    pub fn effect_at(&self, address: IpAddr) -> Option<Effect> {
        let kind = AddressKind::of(address).name()?;
        Some(Effect::network(format!("{self} at {address} ({kind})")))
    }
}

/// Refuses characters that parsers drop, replace or take for others.
fn check_characters(written: &str) -> Result<(), String> {
    let is_odd = |c: &char| {
        !c.is_ascii_graphic() || matches!(c, '\\' | '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}')
    };
    match written.chars().find(is_odd) {
        Some(c) => Err(format!("holds {:?}, which no URL has", c)),
        None => Ok(()),
    }
}

/// Refuses a URL that a parser by RFC 3986 reads differently than one by the URL standard of browsers.
fn check_readings(written: &str, url: &Url) -> Result<(), String> {
    let differ = |what: &str| Err(format!("parsers read its {what} differently; write it plainly"));
    let Some((scheme, rest)) = written.split_once("://") else { return differ("scheme") };
    if !scheme.eq_ignore_ascii_case(url.scheme()) {
        return differ("scheme");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (user, host_and_port) = authority.rsplit_once('@').map_or(("", authority), |(u, h)| (u, h));
    if user.contains('@') || (user.is_empty() && authority.contains('@')) {
        return differ("user name");
    }
    let (host, port) = match host_and_port.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (host_and_port, None),
    };
    let same_host = match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case(host),
        // Only the four plain numbers: no octal, hexadecimal or shortened ones.
        Some(Host::Ipv4(address)) => address.to_string() == host,
        Some(Host::Ipv6(address)) => {
            let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
            inner.and_then(|inner| inner.parse().ok()) == Some(address)
        }
        None => false,
    };
    if !same_host {
        return differ("host");
    }
    let digits = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    match port {
        None => Ok(()),
        Some(port) if digits(port) && port.parse().ok() == url.port_or_known_default() => Ok(()),
        Some(_) => differ("port"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(written: &str) -> Result<String, String> {
        let target = Target::parse("t", written).map_err(|error| error.message)?;
        Ok(format!("{} {}", target.endpoint, target.url.path()))
    }

    #[test]
    fn plain_urls_are_read() {
        for (written, wanted) in [
            ("http://example.com", "example.com:80 /"),
            ("HTTPS://Example.COM:8443/a?b#c", "example.com:8443 /a"),
            ("https://example.com./", "example.com:443 /"),
            ("http://[::1]:3000/x", "[::1]:3000 /x"),
            ("http://127.0.0.1/", "127.0.0.1:80 /"),
            ("http://xn--bcher-kva.example/%C3%A9", "xn--bcher-kva.example:80 /%C3%A9"),
            ("http://a_b.example/a@b:c", "a_b.example:80 /a@b:c"),
        ] {
            assert_eq!(parse(written).as_deref(), Ok(wanted), "{written}");
        }
    }

    #[test]
    fn urls_that_parsers_read_differently_are_refused() {
        for written in [
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://127.0.0.1./",
            "http://1.2.3.4.5/",
            "http://example.com\\@evil.example/",
            "http:\\\\evil.example/",
            "http:/evil.example/",
            "http:evil.example",
            "http:///evil.example/",
            "http://good.example@evil.example@x/",
            "http://user:pass@example.com/",
            "http://@example.com/",
            "http://exa%6dple.com/",
            "http://ex ample.com/",
            "http://example.com/a b",
            "http://example.com/\r\nX: y",
            "ht\ttp://example.com/",
            " http://example.com/",
            "http://b\u{fc}cher.example/",
            "http://\u{ff11}27.0.0.1/",
            "http://example.com:/",
            "http://example.com:+80/",
            "http://example.com:65536/",
            "http://example.com:0/",
            "http://*.example.com/",
            "http://a..b/",
            "http://[::ffff:127.0.0.1%25eth0]/",
            "http:// /",
            "//example.com/",
            "example.com",
            "file:///etc/passwd",
            "ftp://example.com/",
            "gopher://example.com/",
            "",
        ] {
            assert!(parse(written).is_err(), "{written:?}: {:?}", parse(written));
        }
        assert!(parse(&format!("http://a/{}", "x".repeat(9_000))).is_err());
    }

    #[test]
    fn redirects_are_read_as_strictly() {
        let base = Target::parse("t", "http://example.com/a/b").unwrap();
        let to = |location| base.redirected("t", location).map(|target| target.url.to_string());
        assert_eq!(to("c?d").as_deref(), Ok("http://example.com/a/c?d"));
        assert_eq!(to("//other.example/x").as_deref(), Ok("http://other.example/x"));
        assert_eq!(to("https://example.com/").as_deref(), Ok("https://example.com/"));
        for bad in [
            "http://0x7f.1/",
            "file:///x",
            "/a b",
            "\\\\evil.example/",
            "//2130706433/",
            "javascript:1",
        ] {
            assert!(to(bad).is_err(), "{bad}: {:?}", to(bad));
        }
    }

    #[test]
    fn effects_name_hosts_that_are_not_public() {
        let effect = |written| Target::parse("t", written).unwrap().endpoint.effect();
        assert_eq!(effect("https://example.com/"), Effect::network("example.com:443"));
        assert_eq!(effect("http://localhost:3000/"), Effect::network("localhost:3000 (loopback)"));
        assert_eq!(effect("http://a.localhost/"), Effect::network("a.localhost:80 (loopback)"));
        let metadata = Effect::network("169.254.169.254:80 (cloud metadata)");
        assert_eq!(effect("http://169.254.169.254/latest"), metadata);
        let endpoint = Target::parse("t", "http://db.example/").unwrap().endpoint;
        assert_eq!(endpoint.effect_at("1.1.1.1".parse().unwrap()), None);
        let found = endpoint.effect_at("10.0.0.1".parse().unwrap());
        assert_eq!(found, Some(Effect::network("db.example:80 at 10.0.0.1 (private network)")));
    }
}
