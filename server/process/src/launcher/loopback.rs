//! Brings up the loopback interface of a new network namespace, over rtnetlink.

use rustix::io::{Errno, Result};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, send, socket};

/// `ip link set lo up`, as the bytes of one RTM_NEWLINK request for interface 1.
fn request() -> Vec<u8> {
    const RTM_NEWLINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
    const UP: u32 = 1;
    let mut bytes = Vec::with_capacity(32);
    bytes.extend_from_slice(&32_u32.to_ne_bytes());
    bytes.extend_from_slice(&RTM_NEWLINK.to_ne_bytes());
    bytes.extend_from_slice(&REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    // Sequence and port.
    bytes.extend_from_slice(&[0; 8]);
    // Family, padding and type; interface index 1, the loopback; flags and change mask.
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&1_i32.to_ne_bytes());
    bytes.extend_from_slice(&UP.to_ne_bytes());
    bytes.extend_from_slice(&UP.to_ne_bytes());
    bytes
}

pub(super) fn bring_up() -> Result<()> {
    // Protocol 0 is NETLINK_ROUTE.
    let route = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    send(&route, &request(), SendFlags::empty())?;
    let mut answer = [0; 256];
    let (_, length) = recv(&route, &mut answer[..], RecvFlags::empty())?;
    // Header, then the error: 0 is success.
    match answer.get(16..20).filter(|_| length >= 20) {
        Some([0, 0, 0, 0]) => Ok(()),
        _ => Err(Errno::IO),
    }
}
