//! What is of this machine alone: addresses to listen on, and the names that requests give it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue};

/// The names of this machine. A page from elsewhere, whose name resolves to it, has another one.
const LOCAL_HOSTS: &[&str] = &["localhost", "127.0.0.1", "[::1]"];

/// Whether a request has one `Host`, which is a name of this machine.
#[must_use]
pub fn is_local_host(headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else { return false };
    host.to_str().is_ok_and(is_local_authority)
}

/// Whether an `Origin` is a page of this machine.
pub(crate) fn is_local_origin(origin: &HeaderValue) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(is_local_authority)
}

/// Whether this is a name of this machine, with or without a port.
fn is_local_authority(text: &str) -> bool {
    let Ok(authority) = text.parse::<Authority>() else { return false };
    let is_local = LOCAL_HOSTS.iter().any(|name| authority.host().eq_ignore_ascii_case(name));
    is_local && !text.contains('@')
}

/// Parses `HOST:PORT`; the host may be missing, and must be of the loopback interface. No name is looked up.
///
/// # Errors
/// What is wrong with it.
pub fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let malformed = || format!("`{text:.60}` is no address; write 127.0.0.1:PORT");
    let (host, port) = text.rsplit_once(':').ok_or_else(malformed)?;
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let port: u16 = port.parse().ok().filter(|_| is_number).ok_or_else(malformed)?;
    let ip = match host {
        "" => IpAddr::from(Ipv4Addr::LOCALHOST),
        name if name.eq_ignore_ascii_case("localhost") => Ipv4Addr::LOCALHOST.into(),
        _ => match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inside) => inside.parse::<Ipv6Addr>().map_err(|_| malformed())?.into(),
            None => host.parse::<Ipv4Addr>().map_err(|_| malformed())?.into(),
        },
    };
    if !ip.is_loopback() {
        return Err(format!("{ip} is not of this machine alone; it must be 127.0.0.1"));
    }
    Ok(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_loopback() {
        for (text, expected) in [
            (":8080", "127.0.0.1:8080"),
            ("localhost:80", "127.0.0.1:80"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("127.1.2.3:5", "127.1.2.3:5"),
            ("[::1]:7", "[::1]:7"),
        ] {
            assert_eq!(parse_address(text).unwrap().to_string(), expected, "{text}");
        }
        for text in [
            "",
            "8080",
            "0.0.0.0:80",
            "[::]:80",
            "192.168.1.2:80",
            "[::ffff:127.0.0.1]:80",
            "example.com:80",
            "127.0.0.1:99999",
            "127.0.0.1:+80",
            "127.0.0.1:",
            "::1:80",
            "127.1:80",
            "127.0.0.1:80\n",
        ] {
            assert!(parse_address(text).is_err(), "{text:?}");
        }
    }
}
