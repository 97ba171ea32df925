//! All limits of this crate, with their reasons.

use std::time::Duration;

/// Time for the browser to start: it takes half a second, and several on a loaded machine.
pub(crate) const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for a call unless the caller sets another.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for an action on an element unless the caller sets another: pages that take longer to enable a button
/// are waited for explicitly.
pub(crate) const ACTION_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time for a call, which holds one of the server's slots.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(300);
/// Time for what must work even while a page hangs, such as closing it.
pub(crate) const SHORT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection of the page waits for a call that can ask the person.
pub(crate) const UNATTENDED_WAIT: Duration = Duration::from_secs(2);
/// How long new hosts are gathered before the person is asked about them together.
pub(crate) const GATHER_HOSTS: Duration = Duration::from_millis(60);
/// Hosts that the person is asked about together: more cannot be judged.
pub(crate) const MAX_HOSTS_TOGETHER: usize = 20;
/// Connections of the browser at a time.
pub(crate) const MAX_CONNECTIONS: usize = 512;
/// Blocked hosts that a result lists.
pub(crate) const MAX_BLOCKED_LISTED: usize = 10;
/// Console messages that are kept of a page.
pub(crate) const MAX_MESSAGES: usize = 1_000;
/// Length of a kept console message, in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 4_000;
/// Requests that are kept of a page.
pub(crate) const MAX_REQUESTS: usize = 1_000;
/// Length of a kept URL, in bytes. Data URLs are longer.
pub(crate) const MAX_URL_BYTES: usize = 2_000;
/// Dialogs that are answered in one call without asking the caller: more is a loop.
pub(crate) const MAX_ALERTS: usize = 20;
/// Pages at a time: each takes 50 MB.
pub(crate) const MAX_PAGES: usize = 20;
/// Elements that a query lists.
pub(crate) const MAX_ELEMENTS: usize = 200;
/// Length of an element's text in results, in characters.
pub(crate) const MAX_ELEMENT_TEXT: usize = 300;
/// Size of a result of a script, in bytes.
pub(crate) const MAX_VALUE_BYTES: usize = 48_000;
/// Size of a script, in bytes.
pub(crate) const MAX_SCRIPT_BYTES: usize = 100_000;
/// Size of a picture in a result, in bytes: base64 of it stays below the limit of results.
pub(crate) const MAX_PICTURE_BYTES: usize = 370_000;
/// Height of a picture of a full page, in pixels: Chromium draws no larger ones.
pub(crate) const MAX_PICTURE_HEIGHT: f64 = 16_384.0;
/// Size of a download, in bytes: the largest file that the workspace reads.
pub(crate) const MAX_DOWNLOAD_BYTES: u64 = 64 << 20;
/// Time until a window that a script opens is there. One that is refused never is.
pub(crate) const WINDOW_TIMEOUT: Duration = Duration::from_secs(1);
