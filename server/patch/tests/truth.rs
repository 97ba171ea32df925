//! A small slice of the truth corpus, over this crate's own files. The whole of it is
//! `examples/truth`.

#[allow(dead_code)]
#[path = "../examples/truth/cases.rs"]
mod cases;
#[allow(dead_code)]
#[path = "../examples/truth/makers.rs"]
mod makers;
#[allow(dead_code)]
#[path = "../examples/truth/random.rs"]
mod random;
#[allow(dead_code)]
#[path = "../examples/truth/script.rs"]
mod script;
#[allow(dead_code)]
#[path = "../examples/truth/slips.rs"]
mod slips;
#[allow(dead_code)]
#[path = "../examples/truth/traps.rs"]
mod traps;

use cases::{Answer, Words, case, classes};
use patch::{Options, plan};
use random::Random;

const FILES: [(&str, &str); 6] = [
    ("indent.rs", include_str!("truth_texts/indent.txt")),
    ("transplant.rs", include_str!("truth_texts/transplant.txt")),
    ("unified.rs", include_str!("truth_texts/unified.txt")),
    ("guard.rs", include_str!("truth_texts/guard.txt")),
    ("peers.py", include_str!("truth_texts/peers.txt")),
    ("cases.rs", include_str!("truth_texts/cases.txt")),
];

#[test]
fn nothing_wrong_and_nearly_all_right() {
    let mut random = Random(7);
    let (mut total, mut right, mut wrong) = (0usize, 0usize, Vec::new());
    let words = Words::new();
    for class in classes() {
        for round in 0..20 {
            let (name, text) = FILES[round % FILES.len()];
            let Some(case) = case(&mut random, class, name, text, &words) else { continue };
            let made = plan(&case.text, std::slice::from_ref(&case.patch), &Options::default())
                .ok()
                .map(|plan| plan.apply(&case.text));
            let made = made.unwrap_or_else(|| case.text.clone());
            let (is_right, is_wrong) = match &case.answer {
                Answer::Text(text) => (made == *text, made != *text && made != case.text),
                Answer::Unchanged | Answer::Refused => (made == case.text, made != case.text),
                Answer::Either(text) => {
                    (made == *text || made == case.text, made != *text && made != case.text)
                }
            };
            total += 1;
            right += usize::from(is_right);
            if is_wrong {
                wrong.push(format!("{} in {name}: {:?}", case.class, case.patch));
            }
        }
    }
    assert!(total > 400, "only {total} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(100 * right >= 98 * total, "{right} of {total}");
}
