//! Addresses of buses: `unix:path=/run/user/1000/bus,guid=…;unix:abstract=/tmp/dbus-X`.

/// The Unix socket of a bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A socket in the file system.
    Path(Vec<u8>),
    /// A socket in Linux's abstract namespace.
    Abstract(Vec<u8>),
}

/// The Unix sockets that an address names, in their order. Other transports are left out.
#[must_use]
pub fn parse_addresses(written: &str) -> Vec<Address> {
    written.split(';').filter_map(parse_address).collect()
}

fn parse_address(written: &str) -> Option<Address> {
    let parameters = written.trim().strip_prefix("unix:")?;
    parameters.split(',').find_map(|parameter| match parameter.split_once('=')? {
        ("path", value) => unescaped(value).map(Address::Path),
        ("abstract", value) => unescaped(value).map(Address::Abstract),
        _ => None,
    })
}

/// A value in which bytes may be written as `%2f`.
fn unescaped(value: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    (!bytes.is_empty()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_sockets_are_found_in_addresses() {
        let path = |path: &str| Address::Path(path.as_bytes().to_vec());
        assert_eq!(parse_addresses("unix:path=/run/bus"), [path("/run/bus")]);
        assert_eq!(
            parse_addresses("tcp:host=localhost,port=1;unix:guid=12,abstract=/a%20b;unix:path=/c"),
            [Address::Abstract(b"/a b".to_vec()), path("/c")]
        );
        for written in [
            "",
            "unix:",
            "unix:path=",
            "unix:tmpdir=/tmp",
            "unix:path=%4",
            "unix:path=%zz",
            "launchd:",
        ] {
            assert_eq!(parse_addresses(written), [], "{written}");
        }
    }
}
