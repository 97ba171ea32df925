//! What is known to be wrong, with its cause. A test here fails once its case is put right: then
//! it belongs among the others, turned round.

use patch::{Options, Patch, plan};

/// Sent a second time, a patch must change nothing. This one quotes a brace and one of the blanks
/// before it; what it put there begins with the same brace, and the rest is too short to be told
/// from text that stood there before, so it is taken for a new place.
#[test]
fn a_short_patch_that_repeats_its_quote_is_applied_again() {
    let text = "foo(b,  c)\nif ready:\n    \n  }\n    \n";
    let patch = [Patch::new(" }", " }a\né e\u{301}")];
    let once = plan(text, &patch, &Options::default()).expect("one place").apply(text);
    let twice = plan(&once, &patch, &Options::default()).expect("one place").apply(&once);
    assert_ne!(twice, once, "put right: move this case to the others");
}
