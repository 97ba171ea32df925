//! Profiles: the tools that an agent sees.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tools::{ListedToolSettings, Profile, ProfileSettings, find};

type Profiles = BTreeMap<String, ProfileSettings>;

fn names(profile: &Profile) -> Vec<&'static str> {
    profile.tools.iter().map(|listed| listed.tool.name).collect()
}

fn profiles(written: &str) -> Profiles {
    toml::from_str(written).unwrap()
}

#[test]
fn built_in_profiles_name_what_exists() {
    crate::add_families();
    let mut listed = BTreeSet::new();
    for (name, settings) in profiles(include_str!("../../src/profiles/profiles.toml")) {
        let profile = Profile::named(&name, &Profiles::new()).unwrap();
        if name != "full" {
            listed.extend(names(&profile));
        }
        for tool in &settings.tools {
            let ListedToolSettings::Some(some) = tool else { continue };
            let properties = &find(&some.name).unwrap().listed_schema["properties"];
            for parameter in &some.parameters {
                assert!(properties.get(parameter).is_some(), "{}: {parameter}", some.name);
            }
        }
        for name in &settings.except {
            assert!(find(name).is_some(), "{name}");
        }
    }
    // Every tool is in a family, unless `full` leaves it out, too.
    for tool in &Profile::named("full", &Profiles::new()).unwrap().tools {
        assert!(listed.contains(tool.tool.name), "{} is in no family", tool.tool.name);
    }
}

#[test]
fn the_core_is_small() {
    crate::add_families();
    let core = Profile::named("core", &Profiles::new()).unwrap();
    assert!(core.tools.len() <= 12, "{:?}", names(&core));
    let listed = core.tools.iter().map(|listed| {
        json!({
            "name": listed.tool.name,
            "description": listed.tool.description,
            "inputSchema": listed.input_schema,
        })
    });
    let listed = Value::from_iter(listed).to_string();
    // 2,000 tokens of o200k_base, which has 4.3 bytes a token here.
    assert!(listed.len() <= 8_600, "{} bytes", listed.len());
}

#[test]
fn people_have_their_own() {
    crate::add_families();
    let own = profiles(
        "[mine]\nextends = [\"core\", \"git\"]\nexcept = [\"run_command\"]\n\
         [core]\nextends = [\"core\"]\ntools = [\"undo_action\"]\n\
         [a]\nextends = [\"b\"]\n[b]\nextends = [\"a\"]\n[typo]\ntools = [\"reed_file\"]\n",
    );
    let mine = names(&Profile::named("mine", &own).unwrap());
    assert_eq!(mine[0], "read_file");
    assert!(mine.contains(&"git_status") && !mine.contains(&"run_command"), "{mine:?}");
    assert!(mine.ends_with(&["find_tools", "call_tool"]), "{mine:?}");
    let core = names(&Profile::named("core", &own).unwrap());
    assert!(core.contains(&"undo_action") && core.contains(&"read_file"), "{core:?}");
    for (name, why) in [
        ("a", "circle"),
        ("typo", "reed_file"),
        ("none", "there are agents, browser, checks, clusters, containers, core"),
    ] {
        let error = Profile::named(name, &own).err().unwrap();
        assert!(error.contains(why), "{error}");
    }
}
