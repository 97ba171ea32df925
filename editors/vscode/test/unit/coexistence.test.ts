import assert from "node:assert/strict";
import { test } from "node:test";
import manifest from "../../package.json";
import { formats, LANGUAGES, languageOf, other, serves, STARTING, type Choice, type Editor } from "../../src/language/coexistence";
import { FEATURES } from "../../src/server/link";

function editor(active: string[], settings: Record<string, unknown> = {}, choice: Choice = "auto"): Editor {
  return {
    choice: () => choice,
    isActive: (id) => active.includes(id),
    isInstalled: (id) => active.includes(id),
    setting: (name) => settings[name],
  };
}

test("a language's own extension comes first, while it is at work", () => {
  assert.equal(serves(editor([]), "hover", "rust"), true);
  assert.equal(serves(editor(["rust-lang.rust-analyzer"]), "hover", "rust"), false);
  assert.equal(serves(editor(["rust-lang.rust-analyzer"]), "hover", "go"), true);
});

test("settings decide either way", () => {
  assert.equal(serves(editor(["golang.go"], {}, "on"), "hover", "go"), true);
  assert.equal(serves(editor([], {}, "off"), "hover", "go"), false);
});

test("an extension whose language server is off serves nothing", () => {
  const off = { "C_Cpp.intelliSenseEngine": "disabled" };
  assert.equal(other(editor(["ms-vscode.cpptools"], off), "cpp"), undefined);
  assert.equal(other(editor(["ms-vscode.cpptools"]), "cpp"), "ms-vscode.cpptools");
  assert.equal(other(editor(["ms-python.python"]), "python"), undefined);
});

test("of some languages only the syntax is known, and their own extensions too", () => {
  assert.equal(serves(editor(["vscode.css-language-features"]), "syntax", "css"), false);
  assert.equal(serves(editor([]), "syntax", "css"), true);
  assert.equal(LANGUAGES.includes("css"), false);
});

test("the whole workspace is ours as long as one language is", () => {
  assert.equal(serves(editor(["golang.go"]), "symbols", undefined), true);
});

test("a language is formatted where nothing else that is installed formats it", () => {
  assert.equal(formats(editor(["rust-lang.rust-analyzer"])).includes("rust"), false);
  assert.equal(formats(editor(["rust-lang.rust-analyzer"])).includes("go"), true);
  assert.equal(formats(editor(["golang.go"], {}, "on")).includes("go"), true);
  assert.deepEqual(formats(editor([], {}, "off")), []);
});

test("the name of a closed file tells its language", () => {
  assert.equal(languageOf("/a/b.RS"), "rust");
  assert.equal(languageOf("/a.rs/b"), undefined);
});

test("the manifest knows every feature and activates on every language", () => {
  const settings = Object.keys(manifest.contributes.configuration.properties);
  for (const feature of FEATURES) {
    assert.ok(settings.includes(`tandem.features.${feature}`), feature);
  }
  for (const language of STARTING) {
    assert.ok(manifest.activationEvents.includes(`onLanguage:${language}`), language);
  }
});
