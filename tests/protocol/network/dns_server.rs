//! A DNS server for tests: names whose addresses change from query to query.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};

/// The answers to the queries of a name, in turn; the last one is repeated.
pub(crate) type Answers = Vec<Vec<IpAddr>>;

/// A server. Its thread ends with the test.
pub(crate) struct DnsServer {
    pub(crate) address: SocketAddr,
    queries: Arc<Mutex<Vec<String>>>,
}

const A: u16 = 1;
const MX: u16 = 15;
const TXT: u16 = 16;
const AAAA: u16 = 28;

impl DnsServer {
    /// Starts a server that knows these names. Other names do not exist.
    pub(crate) fn start(names: &[(&str, &[&[&str]])]) -> Self {
        let parse = |answers: &[&[&str]]| -> Answers {
            answers.iter().map(|one| one.iter().map(|ip| ip.parse().unwrap()).collect()).collect()
        };
        let mut names: BTreeMap<String, Answers> =
            names.iter().map(|(name, answers)| ((*name).to_owned(), parse(answers))).collect();
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = socket.local_addr().unwrap();
        let queries: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = queries.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 1500];
            while let Ok((length, client)) = socket.recv_from(&mut buffer) {
                if let Some(response) = respond(&buffer[..length], &mut names, &seen) {
                    socket.send_to(&response, client).unwrap();
                }
            }
        });
        Self { address, queries }
    }

    /// The queries so far, as `name type`.
    pub(crate) fn queries(&self) -> Vec<String> {
        self.queries.lock().unwrap().clone()
    }
}

fn respond(
    query: &[u8],
    names: &mut BTreeMap<String, Answers>,
    seen: &Mutex<Vec<String>>,
) -> Option<Vec<u8>> {
    let mut labels = Vec::new();
    let mut at = 12;
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(query.get(at..at + length)?).to_lowercase());
        at += length;
    }
    let kind = u16::from_be_bytes([*query.get(at)?, *query.get(at + 1)?]);
    let question = &query[12..at + 4];
    let name = labels.join(".");
    seen.lock().unwrap().push(format!("{name} {kind}"));
    let answers = names.get_mut(&name);
    let exists = answers.is_some();
    let records: Vec<(u16, Vec<u8>)> = match (kind, answers) {
        (A | AAAA, Some(answers)) => {
            // Each pair of queries, for A and AAAA, sees one answer; it moves on at A.
            let current = answers[0].clone();
            if kind == A && answers.len() > 1 {
                answers.remove(0);
            }
            let of_kind = current.into_iter().filter_map(|ip| match ip {
                IpAddr::V4(ip) if kind == A => Some((A, ip.octets().to_vec())),
                IpAddr::V6(ip) if kind == AAAA => Some((AAAA, ip.octets().to_vec())),
                _ => None,
            });
            of_kind.collect()
        }
        (MX, Some(_)) => vec![(MX, b"\x00\x0a\x04mail\x07example\x00".to_vec())],
        (TXT, Some(_)) => vec![(TXT, b"\x0bv=spf1 -all".to_vec())],
        _ => Vec::new(),
    };
    let mut response = query[..2].to_vec();
    let code: u8 = if exists { 0 } else { 3 };
    response.extend([0x81, 0x80 | code, 0, 1]);
    response.extend(u16::try_from(records.len()).unwrap().to_be_bytes());
    response.extend([0, 0, 0, 0]);
    response.extend(question);
    for (kind, data) in records {
        response.extend([0xc0, 12]);
        response.extend(kind.to_be_bytes());
        response.extend([0, 1, 0, 0, 0, 0]);
        response.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        response.extend(data);
    }
    Some(response)
}
