//! What kind of address an IP address is, including the IPv4 addresses inside IPv6 ones.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The kind of an address. Later ones are more dangerous to reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AddressKind {
    /// Anyone on the Internet reaches it.
    Public,
    /// Documentation, multicast, benchmarks, unassigned.
    Reserved,
    /// RFC 1918, unique local addresses, carriers' networks.
    Private,
    /// Valid on one network segment only.
    LinkLocal,
    /// This machine.
    Loopback,
    /// A cloud's service that hands out the machine's credentials.
    Metadata,
}

impl AddressKind {
    /// The kind of an address: the most dangerous of the address itself and what it leads to.
    pub(crate) fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }

    /// Its name in approval requests and rules; `None` for a public one.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Public => None,
            Self::Reserved => Some("reserved address"),
            Self::Private => Some("private network"),
            Self::LinkLocal => Some("link-local"),
            Self::Loopback => Some("loopback"),
            Self::Metadata => Some("cloud metadata"),
        }
    }
}

/// Metadata services by IPv4: most clouds, AWS's container credentials, Oracle, Alibaba, Azure's wire server.
const METADATA_V4: &[Ipv4Addr] = &[
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
];
/// Metadata services by IPv6: AWS, AWS's container credentials, Google.
const METADATA_V6: &[Ipv6Addr] = &[
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

fn of_v4(address: Ipv4Addr) -> AddressKind {
    if METADATA_V4.contains(&address) {
        return AddressKind::Metadata;
    }
    match address.octets() {
        // Linux connects 0.0.0.0 to this machine.
        [0 | 127, ..] => AddressKind::Loopback,
        [169, 254, ..] => AddressKind::LinkLocal,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => {
            AddressKind::Private
        }
        [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18..=19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [224..=255, ..] => AddressKind::Reserved,
        _ => AddressKind::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressKind {
    let embedded = embedded(address).into_iter().map(of_v4).max();
    let own = own_kind(address);
    // A tunnel's prefix is as public as the address inside it.
    embedded
        .map_or(own, |embedded| if is_translated(address) { embedded } else { own.max(embedded) })
}

/// The kind of the IPv6 address itself.
fn own_kind(address: Ipv6Addr) -> AddressKind {
    if METADATA_V6.contains(&address) {
        return AddressKind::Metadata;
    }
    if address.is_unspecified() || address.is_loopback() {
        return AddressKind::Loopback;
    }
    match address.segments() {
        [0xfe80..=0xfebf, ..] => AddressKind::LinkLocal,
        // Unique local, and the site-local addresses before them; NAT64 with a network's own prefix.
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] | [0x64, 0xff9b, 1, ..] => AddressKind::Private,
        // Documentation, and the protocols of 2001::/23 other than Teredo.
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressKind::Reserved,
        [0x2001, 1..=0x1ff, ..] => AddressKind::Reserved,
        [0x2000..=0x3fff, ..] => AddressKind::Public,
        _ => AddressKind::Reserved,
    }
}

/// Whether the address stands for the one inside it, and nothing else.
fn is_translated(address: Ipv6Addr) -> bool {
    matches!(address.segments(), [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..])
}

/// The IPv4 addresses that packets to an IPv6 address may be sent to.
fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        // Unspecified and loopback look like IPv4-compatible addresses, and are none.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Vec::new(),
        // IPv4-mapped, IPv4-compatible, NAT64, IPv4-translated.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0x64, 0xff9b, _, _, _, _, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low] => vec![v4(high, low)],
        // 6to4.
        [0x2002, high, low, ..] => vec![v4(high, low)],
        // Teredo: the server, and the client, whose bits are inverted.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            vec![v4(server_high, server_low), v4(!high, !low)]
        }
        // ISATAP.
        [.., 0 | 0x200, 0x5efe, high, low] => vec![v4(high, low)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::AddressKind::*;
    use super::*;

    #[test]
    fn every_form_of_an_address_has_its_kind() {
        for (address, kind) in [
            ("1.1.1.1", Public),
            ("93.184.215.14", Public),
            ("0.0.0.0", Loopback),
            ("127.8.9.1", Loopback),
            ("10.0.0.1", Private),
            ("172.15.0.1", Public),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("192.168.1.1", Private),
            ("100.64.0.1", Private),
            ("169.254.1.1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("100.100.100.200", Metadata),
            ("168.63.129.16", Metadata),
            ("224.0.0.1", Reserved),
            ("255.255.255.255", Reserved),
            ("203.0.113.9", Reserved),
            ("::", Loopback),
            ("::1", Loopback),
            ("2606:4700::1111", Public),
            ("fe80::1", LinkLocal),
            ("fc00::1", Private),
            ("fd00:ec2::254", Metadata),
            ("fec0::1", Private),
            ("ff02::1", Reserved),
            ("2001:db8::1", Reserved),
            ("100::1", Reserved),
            // IPv4 inside.
            ("::ffff:127.0.0.1", Loopback),
            ("::ffff:1.1.1.1", Public),
            ("::ffff:169.254.169.254", Metadata),
            ("::10.0.0.1", Private),
            ("64:ff9b::10.0.0.1", Private),
            ("64:ff9b::8.8.8.8", Public),
            ("64:ff9b::169.254.169.254", Metadata),
            ("64:ff9b:1::8.8.8.8", Private),
            ("2002:7f00:1::1", Loopback),
            ("2002:a9fe:a9fe::1", Metadata),
            ("2002:808:808::1", Public),
            // Teredo with client 10.0.0.1, and with server 127.0.0.1.
            ("2001:0:808:808:0:0:f5ff:fffe", Private),
            ("2001:0:7f00:1:0:0:f7f7:f7f7", Loopback),
            ("2001:4860:4860:0:0:5efe:7f00:1", Loopback),
        ] {
            assert_eq!(AddressKind::of(address.parse().unwrap()), kind, "{address}");
        }
    }
}
