//! Ports of a container that are reached from outside: `8080:80`, `127.0.0.1:8080:80/tcp`, `80`.

use std::net::IpAddr;

use tools::{Code, Effect, ToolError};

use crate::effects::open_port;

/// A published port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Port {
    /// Where it listens on the machine: on the loopback interface, unless the call names an address.
    pub(crate) address: IpAddr,
    /// The machine's port; 0 for any that is free.
    pub(crate) host: u16,
    pub(crate) container: u16,
    /// `tcp` or `udp`.
    pub(crate) protocol: &'static str,
}

impl Port {
    pub(crate) fn parse(tool: &str, written: &str) -> Result<Self, ToolError> {
        let invalid = || {
            let message = format!("{tool}: `ports`: `{written:.100}` is no port");
            ToolError::new(Code::InvalidParams, message).hint(
                "write `MACHINE:CONTAINER`, such as `8080:80`, or `ADDRESS:MACHINE:CONTAINER`",
            )
        };
        let (numbers, protocol) = match written.rsplit_once('/') {
            Some((numbers, "tcp")) => (numbers, "tcp"),
            Some((numbers, "udp")) => (numbers, "udp"),
            Some(_) => return Err(invalid()),
            None => (written, "tcp"),
        };
        let (before, container) = numbers.rsplit_once(':').unwrap_or(("", numbers));
        let (address, host) = before.rsplit_once(':').unwrap_or(("127.0.0.1", before));
        let address = address.trim_start_matches('[').trim_end_matches(']');
        let number = |text: &str| text.parse::<u16>().ok().filter(|_| !text.starts_with('+'));
        let host = if host.is_empty() { Some(0) } else { number(host) };
        Ok(Self {
            address: address.parse().map_err(|_| invalid())?,
            host: host.ok_or_else(invalid)?,
            container: number(container).filter(|port| *port != 0).ok_or_else(invalid)?,
            protocol,
        })
    }

    /// The key of the API.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.container, self.protocol)
    }

    /// The effect of letting other machines reach it.
    pub(crate) fn effect(&self) -> Option<Effect> {
        (!self.address.is_loopback()).then(|| open_port(&self.address.to_string(), self.host))
    }

    pub(crate) fn text(&self) -> String {
        let host = if self.host == 0 { "a free port".to_owned() } else { self.host.to_string() };
        format!("{}:{host} leads to {} in the container", self.address, self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_stay_on_this_machine_unless_an_address_says_otherwise() {
        let shown = |written: &str| Port::parse("t", written).map(|port| port.text()).ok();
        let loopback = "127.0.0.1:8080 leads to 80/tcp in the container";
        assert_eq!(shown("8080:80").as_deref(), Some(loopback));
        assert_eq!(shown("127.0.0.1:8080:80/tcp").as_deref(), Some(loopback));
        assert_eq!(
            shown("53/udp").as_deref(),
            Some("127.0.0.1:a free port leads to 53/udp in the container")
        );
        for bad in
            ["", "80-90:80", "x:80", "80:0", "80/sctp", "1.2.3:80:80", "70000:80", "+80", "a:b:c:d"]
        {
            assert_eq!(shown(bad), None, "{bad}");
        }
        assert!(Port::parse("t", "[::1]:8080:80").unwrap().effect().is_none());
        assert!(Port::parse("t", "0.0.0.0:8080:80").unwrap().effect().is_some());
        assert!(Port::parse("t", "[::]:8080:80").unwrap().effect().is_some());
    }
}
