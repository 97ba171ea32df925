//! Completion while code is typed: at each letter of whole files, never a panic, and what still fits
//! stays.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use names::{Completions, Facts, FileId, Index, Typing};
use syntax::{Language, Syntax};
use text::Text;

static GO: AtomicBool = AtomicBool::new(false);

/// A text in each language, and a file that it uses.
const TEXTS: &[(&str, &str, &str, &str)] = &[
    (
        "main.py",
        "from shapes import Box\n\nclass Holder(Box):\n    '''Holds.'''\n    def __init__(self, size=3):\n        self.size = size\n\n    @property\n    def double(self) -> int:\n        return self.size * 2\n\ndef use(holder: Holder, *rest, **more):\n    for each in rest:\n        if each and not more.get('x'):\n            yield holder.double, Box(width=each)\n    return [x for x in rest if x > holder.size]\n",
        "shapes.py",
        "class Box:\n    def __init__(self, width): self.width = width\nclass Ball: pass\ndef measure(box): return box.width\n",
    ),
    (
        "main.ts",
        "import { Box, type Side } from './shapes';\n\nexport class Holder<T extends Side> extends Box {\n  private size?: number = 3;\n  get double(): number { return this.size! * 2; }\n  async use({ a, b: [c] }: { a: T; b: T[] }, ...rest: string[]) {\n    const { length } = rest;\n    for (const each of rest) { await this.use(`${each} ${length}`); }\n    return rest.map((x) => x?.length ?? a);\n  }\n}\nconst made: Holder<Side> = new Holder();\nmade.double;\n",
        "shapes.ts",
        "export class Box { width = 1; area() { return this.width } }\nexport interface Side { length: number }\nexport const measure = (b: Box) => b.area();\n",
    ),
    (
        "main.js",
        "const { Box } = require('./shapes');\n\nfunction Holder(size) {\n  this.size = size;\n}\nHolder.prototype.double = function () { return this.size * 2 };\nconst made = new Holder(3);\nmodule.exports = { Holder, made: made.double(), box: new Box() };\n",
        "shapes.js",
        "class Box { area() {} }\nclass Ball {}\nmodule.exports = { Box, Ball };\n",
    ),
    (
        "main.rs",
        "use crate::shapes::{Box2, Side as Edge};\nmod shapes;\n\n#[derive(Debug)]\npub struct Holder<'a, T: Clone> { size: &'a T, edge: Edge }\n\nimpl<'a, T: Clone> Holder<'a, T> {\n    pub fn new(size: &'a T) -> Self { Self { size, edge: Edge::Long } }\n    fn double(&self) -> Option<T> {\n        let Some(it) = Some(self.size.clone()) else { return None };\n        match self.edge { Edge::Long => Some(it), Edge::Short { by, .. } => { let _ = by + 1; None } }\n    }\n}\nfn r#type() { let b = Box2::default(); println!(\"{b:?} {}\", b.width); }\n",
        "shapes.rs",
        "#[derive(Debug, Default)]\npub struct Box2 { pub width: u32 }\npub enum Side { Long, Short { by: u32 } }\npub fn measure(b: &Box2) -> u32 { b.width }\n",
    ),
    (
        "main.go",
        "package main\n\nimport \"fmt\"\n\ntype Holder struct {\n\tBox\n\tsize int\n}\n\nfunc (h *Holder) Double(more ...int) (n int, err error) {\n\tfor i, each := range more {\n\t\tn += i * each\n\t}\n\tswitch v := any(h).(type) {\n\tcase *Holder:\n\t\tfmt.Println(v.size, h.Width)\n\t}\n\treturn n, nil\n}\n\nfunc main() { h := &Holder{size: 1}; go h.Double(1) }\n",
        "shapes.go",
        "package main\n\ntype Box struct{ Width int }\n\nfunc measure(b Box) int { return b.Width }\n",
    ),
    (
        "shop/Main.java",
        "package shop;\n\nimport java.util.List;\nimport shop.shapes.Box;\n\npublic class Main<T extends Box> implements Runnable {\n    private final int size = 3;\n    @Override public void run() {\n        for (String each : List.of(\"a\")) { System.out.println(each.length() + size); }\n        Runnable r = () -> { this.run(); };\n        Box made = new Box(size) { int more; };\n        switch (size) { case 1 -> made.area(); default -> { return; } }\n    }\n}\n",
        "shop/shapes/Box.java",
        "package shop.shapes;\npublic class Box { public Box(int w) {} public int area() { return 1; } }\n",
    ),
    (
        "main.c",
        "#include \"shapes.h\"\n#define DOUBLE(x) ((x) * 2)\n\nstatic int use(struct box *b, const char *name) {\n  for (int i = 0; i < b->width; i++) {\n    if (name[i] == 'x') return DOUBLE(i) + box_area(b);\n  }\n  return sizeof(struct box);\n}\nint main(void) { struct box made = { .width = 1 }; return use(&made, \"a\"); }\n",
        "shapes.h",
        "struct box { int width; };\nint box_area(struct box *b);\nenum side { LONG_SIDE, SHORT_SIDE };\n",
    ),
    (
        "main.cc",
        "#include \"shapes.hpp\"\n\nnamespace shop {\ntemplate <typename T> class Holder : public Box<T> {\n public:\n  explicit Holder(T size) : size_(size) {}\n  T Double() const { return size_ * 2 + this->width; }\n private:\n  T size_;\n};\n}  // namespace shop\n\nint main() {\n  shop::Holder<int> made(3);\n  auto f = [&](int x) { return made.Double() + x; };\n  for (auto& each : {1, 2}) { f(each); }\n}\n",
        "shapes.hpp",
        "namespace shop { template <typename T> struct Box { T width; }; struct Ball {}; }\n",
    ),
];

fn facts(path: &str, text: &str) -> Facts {
    let name = path.rsplit('/').next().unwrap();
    let language = Language::detect(name, "").unwrap();
    Facts::of(&Syntax::parse(language, &Text::new(text), None, &GO).unwrap(), &GO).unwrap()
}

fn index(path: &str, text: &str, other: &str, theirs: &str) -> Index {
    let mut index = Index::new();
    index.insert(FileId(0), path, Arc::new(facts(path, text)));
    index.insert(FileId(1), other, Arc::new(facts(other, theirs)));
    index
}

fn complete(index: &Index, path: &str, text: &str, at: usize) -> (String, Completions) {
    let facts = facts(path, text);
    let part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let length: usize = text[..at].chars().rev().take_while(part).map(char::len_utf8).sum();
    let start = at - length;
    let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
    let typing = Typing {
        file: FileId(0),
        facts: &facts,
        offset: at,
        typed: &text[start..at],
        before: &text[line..start],
        preceding: text[..line].trim_end().chars().next_back(),
        words: true,
        element: None,
    };
    (text[start..at].to_owned(), index.complete(&typing, 10_000))
}

#[test]
fn a_file_is_typed_from_its_start_to_its_end() {
    for (path, text, other, theirs) in TEXTS {
        let index = index(path, "", other, theirs);
        for (at, _) in text.char_indices() {
            complete(&index, path, &text[..at], at);
        }
    }
}

#[test]
fn a_file_is_broken_off_at_each_letter_and_goes_on() {
    for (path, text, other, theirs) in TEXTS {
        let index = index(path, text, other, theirs);
        for (at, _) in text.char_indices().step_by(3) {
            // The rest of the line is not written yet.
            let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
            let half = format!("{}{}", &text[..at], &text[end..]);
            complete(&index, path, &half, at);
        }
    }
}

#[test]
fn what_still_fits_stays_while_a_name_is_typed() {
    for (path, text, other, theirs) in TEXTS {
        let index = index(path, text, other, theirs);
        let names = facts(path, text);
        let starts = text.char_indices().filter(|(at, c)| {
            c.is_alphabetic() && !text[..*at].ends_with(|b: char| b.is_alphanumeric() || b == '_')
        });
        for (start, _) in starts {
            let Some(name) = names.name_at(start).filter(|n| n.span.start == start) else {
                continue;
            };
            let mut before: Option<Completions> = None;
            for length in 1..=name.span.len() {
                let half = format!("{}{}", &text[..start + length], &text[name.span.end..]);
                let (typed, found) = complete(&index, path, &half, start + length);
                for old in before.iter().filter(|b| b.complete).flat_map(|b| &b.candidates) {
                    let stays = found.candidates.iter().any(|c| c.name == old.name);
                    assert!(
                        stays || !old.name.starts_with(&typed) || !old.sure,
                        "{path} {start} `{typed}`: {} was offered before",
                        old.name
                    );
                }
                before = Some(found);
            }
        }
    }
}

fn phrases(path: &str, text: &str) -> Vec<String> {
    let at = text.find("$0").unwrap();
    let text = text.replace("$0", "");
    let index = index(path, &text, "other.py", "");
    complete(&index, path, &text, at).1.phrases.into_iter().map(|p| p.label.into_owned()).collect()
}

#[test]
fn words_of_the_language_come_where_they_fit() {
    assert_eq!(phrases("a.py", "def f(x):\n    ret$0\n"), ["return"]);
    assert_eq!(phrases("a.py", "def f(x):\n    return no$0\n"), ["None", "not"]);
    assert_eq!(phrases("a.py", "def f(x):\n    x.re$0\n"), [""; 0]);
    assert_eq!(phrases("a.rs", "pub en$0\n"), ["enum"]);
    assert_eq!(phrases("a.rs", "fn f() { if x {} else i$0 }\n"), ["if"]);
    assert_eq!(phrases("A.java", "class A { pri$0 }\n"), ["private"]);
    assert_eq!(phrases("a.ts", "class A { reado$0 }\n"), ["readonly"]);
    assert_eq!(phrases("a.c", "int f(void) {\n  whi$0\n}\n"), ["while", "while"]);
}

#[test]
fn very_many_names_are_bounded() {
    let mut text = String::new();
    for n in 0..10_000 {
        text.push_str(&format!("name_{n} = {n}\n"));
    }
    text.push_str("print(na)\n");
    let index = index("main.py", &text, "other.py", "");
    let (_, found) = complete(&index, "main.py", &text, text.len() - 2);
    assert!(found.candidates.len() >= 5_000 && !found.complete, "{}", found.candidates.len());
}

#[test]
fn types_that_contain_themselves_come_to_an_end() {
    let text = "class A(B): pass\nclass B(C): pass\nclass C(A): pass\nx = A()\nx.y.z.na\ny = x.y\nx = y.x\ny.na\n";
    let index = index("main.py", text, "other.py", "");
    for (at, _) in text.char_indices() {
        complete(&index, "main.py", text, at);
    }
}
