//! All limits of this crate, with their reasons.

use std::time::Duration;

/// Time for a call that only reads: a display that hangs must not hold one of the server's slots.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for one step of input, and for what follows it.
pub(crate) const STEP_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for a whole call that types.
pub(crate) const TYPING_TIMEOUT: Duration = Duration::from_secs(300);
/// How often a wait checks whether the call was cancelled.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Time for a window to get the focus.
pub(crate) const FOCUS_TIMEOUT: Duration = Duration::from_secs(2);
/// Time for held buttons and modifiers to be released before a call is refused.
pub(crate) const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long the person must not have typed or moved the mouse before input.
pub(crate) const IDLE: Duration = Duration::from_millis(500);
/// How long a call waits for the person to pause: they have just answered a question about it.
pub(crate) const IDLE_WAIT: Duration = Duration::from_secs(5);
/// Longest time for a program to take what was typed, if it does not answer pings: keys are not changed before.
pub(crate) const REST_TIMEOUT: Duration = Duration::from_secs(3);
/// Time between two looks at whether it sleeps.
pub(crate) const REST_INTERVAL: Duration = Duration::from_millis(30);
/// Time for a program to answer a ping, which it does when it has taken what was typed.
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(2);
/// Characters that are typed between two checks of the focus.
pub(crate) const CHUNK_CHARACTERS: usize = 50;
/// Characters of one call: ten minutes of a fast typist.
pub(crate) const MAX_TEXT_CHARACTERS: usize = 10_000;
/// Longest pause between two characters.
pub(crate) const MAX_DELAY_MS: u64 = 1_000;
/// Windows that are looked at.
pub(crate) const MAX_WINDOWS: usize = 1_000;
/// Windows that a result lists.
pub(crate) const MAX_WINDOWS_LISTED: usize = 200;
/// Windows that are queried together.
pub(crate) const WINDOW_BATCH: usize = 100;
/// Length of a title or name, in characters.
pub(crate) const MAX_NAME_CHARACTERS: usize = 200;
/// Depth of the tree of windows.
pub(crate) const MAX_DEPTH: usize = 100;
/// Longest time for a covered window to draw itself for a picture.
pub(crate) const DRAW_TIMEOUT: Duration = Duration::from_millis(600);
/// Time between two looks at it.
pub(crate) const DRAW_INTERVAL: Duration = Duration::from_millis(60);
/// Pixels of a picture that is taken or read: 200 MB of memory.
pub(crate) const MAX_PIXELS: u64 = 64_000_000;
/// Size of a picture in a result, in bytes: base64 of it stays below the limit of results.
pub(crate) const MAX_PICTURE_BYTES: usize = 370_000;
/// Tokens of a returned picture, unless the caller sets another number. Models shrink larger ones themselves.
pub(crate) const DEFAULT_PICTURE_TOKENS: u32 = 1_600;
/// Pixels that cost a model one token.
pub(crate) const PIXELS_PER_TOKEN: f64 = 750.0;
/// Time for a call that reads elements.
pub(crate) const ELEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a program may leave a query for its elements unanswered.
pub(crate) const SILENCE: Duration = Duration::from_secs(2);
/// Elements that are queried together.
pub(crate) const ELEMENT_BATCH: usize = 32;
/// Elements that are read.
pub(crate) const MAX_ELEMENTS: usize = 10_000;
/// Elements that a result lists: 10,000 tokens.
pub(crate) const MAX_ELEMENTS_LISTED: usize = 300;
/// Children of an element up to which all are read. A list has a hundred on the screen, and may have any number.
pub(crate) const MAX_CHILDREN: usize = 1_000;
/// Actions of an element.
pub(crate) const MAX_ACTIONS: usize = 20;
/// Programs on the accessibility bus that are looked at.
pub(crate) const MAX_PROGRAMS: usize = 500;
/// Windows that a program reports.
pub(crate) const MAX_TOPLEVELS: usize = 200;
/// Text that is set at once, in characters.
pub(crate) const MAX_SET_CHARACTERS: usize = 100_000;
/// Time to wait for something on the screen, unless the caller sets another.
pub(crate) const DEFAULT_WAIT_MS: u64 = 10_000;
/// Longest such time.
pub(crate) const MAX_WAIT_MS: u64 = 300_000;
/// Time between the first two looks at the screen. It grows by half each time.
pub(crate) const FIRST_LOOK: Duration = Duration::from_millis(50);
/// Longest time between two looks: a full screen is copied in 10 ms.
pub(crate) const LAST_LOOK: Duration = Duration::from_millis(500);
/// How often elements are read though the picture is the same.
pub(crate) const ELEMENT_LOOK: Duration = Duration::from_secs(1);
/// Time for an element to change after an action, of which not every one changes it.
pub(crate) const CHANGE_TIMEOUT: Duration = Duration::from_millis(200);
/// Time for an element that is disabled to be enabled before an action is refused.
pub(crate) const ENABLED_TIMEOUT: Duration = Duration::from_millis(500);
/// Time for a program whose window is new to report its elements.
pub(crate) const PROGRAM_START: Duration = Duration::from_secs(3);
/// Bytes of a clipboard's text that are read or set.
pub(crate) const MAX_CLIPBOARD_BYTES: usize = 1 << 20;
/// How long the owner of the clipboard may leave a request unanswered.
pub(crate) const CLIPBOARD_SILENCE: Duration = Duration::from_secs(2);
/// Time to read a clipboard that comes in pieces.
pub(crate) const CLIPBOARD_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for the desktop's portal to take a picture, which may ask the person first.
pub(crate) const PORTAL_TIMEOUT: Duration = Duration::from_secs(60);
/// Size of the portal's file: a PNG of the largest picture.
pub(crate) const MAX_PORTAL_FILE: u64 = 128 << 20;
/// Bytes of it in one result.
pub(crate) const MAX_CLIPBOARD_RESULT: usize = 30_000;
