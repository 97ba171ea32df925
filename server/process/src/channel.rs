//! Messages with file descriptors over a Unix socket: a length, then JSON.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Limit of file descriptors in one message.
pub(crate) const MAX_DESCRIPTORS: usize = 64;
/// Size limit of a message, in bytes.
const MAX_MESSAGE_SIZE: usize = 16 << 20;

/// Sends `message` together with `descriptors`.
pub(crate) fn send(
    socket: &UnixStream,
    message: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?.to_le_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many file descriptors"));
    }
    // The descriptors go with the length, whose four bytes are never split.
    sendmsg(socket, &[IoSlice::new(&length)], &mut control, SendFlags::NOSIGNAL)?;
    (&*socket).write_all(&body)
}

/// Receives a message; `None` at end of file.
pub(crate) fn receive<T: DeserializeOwned>(
    socket: &UnixStream,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut length = [0; 4];
    let received = loop {
        let mut into = [IoSliceMut::new(&mut length)];
        match recvmsg(socket.as_fd(), &mut into, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            done => break done?,
        }
    };
    if received.bytes == 0 {
        return Ok(None);
    }
    (&*socket).read_exact(&mut length[received.bytes..])?;
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_MESSAGE_SIZE {
        return Err(io::Error::other("the message is too large"));
    }
    let mut body = vec![0; length];
    (&*socket).read_exact(&mut body)?;
    Ok(Some((serde_json::from_slice(&body)?, descriptors)))
}

/// Receives one file descriptor, sent along with a byte; `None` if none came.
pub(crate) fn receive_descriptor(socket: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut into = [IoSliceMut::new(&mut byte)];
    recvmsg(socket.as_fd(), &mut into, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let descriptors = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut received) => received.next(),
        _ => None,
    });
    Ok(descriptors.last())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn messages_and_descriptors_come_through_in_order() {
        let (one, other) = UnixStream::pair().unwrap();
        let long = "x".repeat(1 << 20);
        let sender = std::thread::spawn(move || {
            let null = File::open("/dev/null").unwrap();
            send(&one, &"first", &[null.as_fd(), null.as_fd()]).unwrap();
            send(&one, &long, &[]).unwrap();
        });
        let (first, descriptors): (String, _) = receive(&other).unwrap().unwrap();
        assert_eq!((first.as_str(), descriptors.len()), ("first", 2));
        let (second, descriptors): (String, _) = receive(&other).unwrap().unwrap();
        assert_eq!((second.len(), descriptors.len()), (1 << 20, 0));
        sender.join().unwrap();
        assert!(receive::<String>(&other).unwrap().is_none());
    }
}
