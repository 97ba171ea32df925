//! The address that the hub listens on.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Parses `HOST:PORT`; the host may be missing, and must be of the loopback interface. No name is looked up.
pub(crate) fn parse(text: &str) -> Result<SocketAddr, String> {
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
        return Err(format!("{ip} is not of this machine alone; the hub listens on 127.0.0.1"));
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
            assert_eq!(parse(text).unwrap().to_string(), expected, "{text}");
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
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
