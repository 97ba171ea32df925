//! Measures lists of code actions: how many actions are refused when applied, and how long they
//! take.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use names::{ActionPlace, Facts, FileId};
use syntax::Syntax;
use text::Text;

use super::{GO, Loaded, Random, ranges, with_request};

/// Applies all actions offered at random names and selections, and counts refusals.
pub(super) fn count_refused(loaded: &Loaded, count: usize, random: &mut Random) {
    let mut listed: Vec<Duration> = Vec::new();
    let mut chosen: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    let mut offered: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    let mut reasons: BTreeMap<(&str, &str, String), usize> = BTreeMap::new();
    let all: Vec<usize> = (0..loaded.paths.len()).collect();
    for n in 0..count {
        let file = all[random.below(all.len())];
        let places = ranges(&loaded.parsed[file], if n % 2 == 0 { "extract_function" } else { "" });
        if places.is_empty() {
            continue;
        }
        let mut range = places[random.below(places.len())];
        if n % 4 == 1 {
            range.1 = range.0;
        }
        let started = Instant::now();
        let found = with_request(loaded, file, range, None, |p| loaded.index.actions(p, &|_| true));
        listed.push(started.elapsed());
        for action in found {
            let own = offered.entry(action.offer.id).or_default();
            if action.refusal.is_some() {
                own.2 += 1;
                continue;
            }
            own.0 += 1;
            let offer = &action.offer;
            let started = Instant::now();
            let made = with_request(loaded, file, range, None, |p| {
                loaded.index.action(p, offer.id, &offer.choice)
            });
            chosen.entry(offer.id).or_default().push(started.elapsed());
            if let Err(refused) = made {
                own.1 += 1;
                let key = (offer.id, refused.reason.as_str(), refused.why.clone());
                *reasons.entry(key).or_default() += 1;
                if std::env::var_os("SHOW").is_some() {
                    let line = loaded.sources[file][..range.0].matches('\n').count() + 1;
                    println!(
                        "{}:{line} {} {}: {}",
                        loaded.paths[file], offer.id, offer.choice, refused.why
                    );
                }
            }
        }
    }
    for (id, (all, refused, disabled)) in &offered {
        println!("{id}: {all} offered, {refused} refused when chosen; {disabled} disabled");
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|r| std::cmp::Reverse(r.1));
    for ((id, reason, why), count) in reasons.iter().take(30) {
        println!("  {count} {id} {reason}: {why}");
    }
    chosen.insert("list", listed);
    for (id, mut times) in chosen {
        times.sort();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!("{id}: p50 {:?} p99 {:?} max {:?}", at(0.5), at(0.99), at(1.0));
    }
}

/// Measures the time of the list at random places, also in half-typed texts.
pub(super) fn time_lists(loaded: &Loaded, count: usize, random: &mut Random) {
    let mut times: Vec<Duration> = Vec::new();
    let mut offered = 0;
    for n in 0..count {
        let file = random.below(loaded.paths.len());
        let source = &loaded.sources[file];
        if source.is_empty() {
            continue;
        }
        let cut = |at: usize| (0..=at).rev().find(|&a| source.is_char_boundary(a)).unwrap_or(0);
        let (a, b) = (cut(random.below(source.len())), cut(random.below(source.len())));
        let mut range = (a.min(b), a.max(b));
        if n % 3 == 0 {
            range.1 = range.0;
        } else if n % 3 == 1 {
            range.1 = cut((range.0 + random.below(200)).min(source.len()));
        }
        if n % 4 != 0 {
            let started = Instant::now();
            offered += with_request(loaded, file, range, None, |place| {
                loaded.index.actions(place, &|_| true)
            })
            .len();
            times.push(started.elapsed());
            continue;
        }
        // Cut the text at a random place and remove a few characters.
        let mut half = source[..cut(random.below(source.len()))].to_owned();
        let hole = (0..=random.below(half.len() + 1)).rev().find(|&a| half.is_char_boundary(a));
        let hole = hole.unwrap_or(0);
        let end = (hole..=half.len()).filter(|&e| half.is_char_boundary(e)).take(12).last();
        half.replace_range(hole..end.unwrap_or(hole), "");
        let fit = |at: usize| (0..=at.min(half.len())).rev().find(|&a| half.is_char_boundary(a));
        let range = (fit(range.0).unwrap_or(0), fit(range.1).unwrap_or(0));
        let text = Text::new(&half);
        let syntax = Syntax::parse(loaded.parsed[file].language(), &text, None, &GO).unwrap();
        let facts = Facts::lower(&syntax, &GO).unwrap();
        let texts = |id: FileId| loaded.sources.get(id.0 as usize).map(|s| Text::new(s));
        let place = ActionPlace {
            file: FileId(file as u32),
            facts: &facts,
            syntax: &syntax,
            range: range.0..range.1,
            name: None,
            destination: None,
            text: &texts,
            interrupt: &GO,
        };
        let started = Instant::now();
        let found = loaded.index.actions(&place, &|_| true);
        times.push(started.elapsed());
        for action in found {
            // An action that is not refused must be applicable.
            loaded.index.action(&place, action.offer.id, &action.offer.choice).ok();
        }
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{offered} offered; p50 {:?} p99 {:?} max {:?}", at(0.5), at(0.99), at(1.0));
}
