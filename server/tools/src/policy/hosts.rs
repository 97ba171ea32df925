//! The names of hosts, as rules match them.
//!
//! The target of a network effect is `host:port`. If the address is not a public one, or if the effect is
//! no connection, its kind follows in parentheses: `localhost:3000 (loopback)`,
//! `db.example:5432 at 10.0.0.7 (private network)`, `example.com (DNS)`.

/// A target, taken apart.
struct Host<'n> {
    /// The host.
    host: &'n str,
    /// The host with its port.
    with_port: &'n str,
    /// The address that the host turned out to have.
    address: Option<&'n str>,
    /// The kind of the address.
    kind: Option<&'n str>,
}

impl<'n> Host<'n> {
    fn parse(name: &'n str) -> Self {
        let (rest, kind) = split_kind(name);
        let (with_port, address) = match rest.split_once(" at ") {
            Some((host, address)) => (host, Some(address)),
            None => (rest, None),
        };
        let host = match with_port.rsplit_once(':') {
            Some((host, port)) if port.parse::<u16>().is_ok() => host,
            _ => with_port,
        };
        Self { host, with_port, address, kind }
    }
}

fn split_kind(name: &str) -> (&str, Option<&str>) {
    let kind = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    kind.map_or((name, None), |(rest, kind)| (rest, Some(kind)))
}

/// The forms of a target that a rule against it may name: with and without its port, its address, its kind.
pub(super) fn restricted_forms(name: &str) -> Vec<String> {
    let host = Host::parse(name);
    let mut forms = vec![name.to_owned()];
    for part in [host.with_port, host.host].into_iter().chain(host.address) {
        forms.push(part.to_owned());
        forms.extend(host.kind.map(|kind| format!("{part} ({kind})")));
    }
    forms
}

/// The forms of a target by which a rule allows it: with and without its port. A kind is part of each.
pub(super) fn allowed_forms(name: &str) -> Vec<String> {
    let host = Host::parse(name);
    let kind = host.kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
    [host.with_port, host.host]
        .iter()
        .map(|part| format!("{part}{kind}"))
        .chain([name.to_owned()])
        .collect()
}

/// Whether a pattern may allow a target: a wildcard stands for no kind of address, so `*` reaches public
/// hosts only.
pub(super) fn names_kind(pattern: &str, name: &str) -> bool {
    split_kind(pattern).1 == split_kind(name).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_several_forms() {
        let name = "db.example:5432 at 10.0.0.7 (private network)";
        let forms = restricted_forms(name);
        for form in
            ["db.example", "db.example:5432", "10.0.0.7", "10.0.0.7 (private network)", name]
        {
            assert!(forms.iter().any(|known| known == form), "{form}: {forms:?}");
        }
        assert!(allowed_forms(name).contains(&"db.example (private network)".to_owned()));
        assert!(allowed_forms("[::1]:80 (loopback)").contains(&"[::1] (loopback)".to_owned()));
        assert!(allowed_forms("any host").iter().all(|form| form == "any host"));
    }

    #[test]
    fn a_wildcard_names_no_kind() {
        assert!(names_kind("*", "example.com:443") && names_kind("* (DNS)", "example.com (DNS)"));
        assert!(!names_kind("*", "localhost:80 (loopback)"));
        assert!(!names_kind("* (loopback)", "localhost:80"));
        assert!(!names_kind("* (*)", "localhost:80 (loopback)"));
    }
}
