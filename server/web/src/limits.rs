//! All limits of this crate, with their reasons.

use std::time::Duration;

/// Longest URL, in bytes. Servers and proxies refuse longer ones.
pub(crate) const MAX_URL_BYTES: usize = 8_000;
/// Headers that a caller may set. More is no request that a person can read and approve.
pub(crate) const MAX_REQUEST_HEADERS: usize = 64;
/// Longest value of a header that a caller sets, in bytes: servers refuse longer ones.
pub(crate) const MAX_HEADER_VALUE_BYTES: usize = 8_000;
/// Headers of a response: twice what large sites send, and small enough for a result.
pub(crate) const MAX_RESPONSE_HEADERS: usize = 128;
/// Size of all headers of a response, in bytes: what servers themselves take at most.
pub(crate) const MAX_RESPONSE_HEADER_BYTES: usize = 64 << 10;
/// Size of a request's body, in bytes: the largest file that the workspace reads.
pub(crate) const MAX_REQUEST_BODY_BYTES: usize = 64 << 20;
/// Part of a response's body that is kept for reading it in pages, in bytes.
pub(crate) const MAX_READ_BODY_BYTES: usize = 8 << 20;
/// Size of a body that is stored as a file, in bytes: the largest file that the workspace reads.
pub(crate) const MAX_STORED_BODY_BYTES: usize = 64 << 20;
/// By how much a body may grow when it is decompressed. Text shrinks to a tenth, repetitive logs to a
/// hundredth; deflate's limit is a thousandth, which only bombs reach.
pub(crate) const MAX_DECOMPRESSION_RATIO: usize = 250;
/// Decompressed bytes that are allowed whatever the ratio: short bodies may be all zeros.
pub(crate) const ALWAYS_DECOMPRESSED_BYTES: usize = 1 << 20;
/// Redirects of one request. Browsers follow 20; chains of more than a few are mistakes.
pub(crate) const MAX_REDIRECTS: usize = 10;
/// Time for a request unless the caller sets another.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time for a request; slow downloads end within it. A call holds one of the server's slots.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(600);
/// Time for one connection attempt to all addresses of a host: longer than three lost packets cost.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Head start of one address over the next (RFC 8305).
pub(crate) const NEXT_ADDRESS_DELAY: Duration = Duration::from_millis(250);
/// Addresses of a host that are tried. A name with more is a load balancer, any of whose addresses works.
pub(crate) const MAX_ADDRESSES: usize = 8;
/// Attempts after the first. Each waits twice as long as the one before, so more would exceed the time.
pub(crate) const MAX_RETRIES: u32 = 5;
/// Wait before the second attempt.
pub(crate) const FIRST_BACKOFF: Duration = Duration::from_millis(200);
/// Longest wait that a server may ask for by `Retry-After`.
pub(crate) const MAX_BACKOFF: Duration = Duration::from_secs(20);
/// How often a wait checks whether the call was cancelled: people notice a tenth of a second.
pub(crate) const INTERRUPT_INTERVAL: Duration = Duration::from_millis(10);
/// Cookies of a session. Browsers keep about as many for one site.
pub(crate) const MAX_COOKIES: usize = 300;
/// Responses whose remaining pages can be read by cursor.
pub(crate) const MAX_KEPT_TEXTS: usize = 8;
/// Size of an HTML page that is converted, in bytes. Larger ones are data, and conversion takes seconds.
pub(crate) const MAX_PAGE_BYTES: usize = 4 << 20;
/// Time for parsing an HTML page, which takes a tenth of it for the largest. A hostile one takes minutes.
pub(crate) const MAX_PARSE_TIME: Duration = Duration::from_secs(3);
/// Nesting of an HTML page that is converted: conversion recurses, and no real page is deeper.
pub(crate) const MAX_PAGE_DEPTH: usize = 512;
/// Elements and texts of an HTML page that is converted: ten times the largest pages, and 30 MB of memory.
pub(crate) const MAX_PAGE_NODES: usize = 200_000;
/// Records that a DNS result lists.
pub(crate) const MAX_DNS_RECORDS: usize = 100;
/// Time for a DNS lookup, which is three tries of five seconds.
pub(crate) const DNS_TIMEOUT: Duration = Duration::from_secs(15);
/// Time for a port check unless the caller sets another.
pub(crate) const DEFAULT_PORT_TIMEOUT: Duration = Duration::from_secs(3);
/// Part of a body that an approval request shows, in bytes. Longer ones can only be approved once.
pub(crate) const MAX_SHOWN_BODY_BYTES: usize = 4_000;
