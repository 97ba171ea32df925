//! Completion while typing: at each letter of whole files it never panics, and matching candidates
//! stay.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use names::{CompletionRequest, Completions, Facts, FileId, Index};
use syntax::{Language, LineRest, Syntax};
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
    Facts::lower(&Syntax::parse(language, &Text::new(text), None, &GO).unwrap(), &GO).unwrap()
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
    let typing = CompletionRequest {
        file: FileId(0),
        facts: &facts,
        text: &Text::new(text),
        offset: at,
        prefix: &text[start..at],
        before: &text[line..start],
        preceding: text[..line].trim_end().chars().next_back(),
        rest: LineRest::Code,
        allow_words: true,
        element: None,
    };
    (text[start..at].to_owned(), index.complete(&typing, 10_000))
}

#[test]
fn completion_at_every_prefix_of_a_file() {
    for (path, text, other, theirs) in TEXTS {
        let index = index(path, "", other, theirs);
        for (at, _) in text.char_indices() {
            complete(&index, path, &text[..at], at);
        }
    }
}

#[test]
fn completion_in_the_middle_of_a_broken_file() {
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
fn candidates_narrow_while_typing() {
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
                for old in before.iter().filter(|b| b.is_complete).flat_map(|b| &b.candidates) {
                    let stays = found.candidates.iter().any(|c| c.name == old.name);
                    assert!(
                        stays || !old.name.starts_with(&typed) || !old.is_certain,
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
    complete(&index, path, &text, at)
        .1
        .keywords_and_snippets
        .into_iter()
        .map(|p| p.label.into_owned())
        .collect()
}

#[test]
fn keywords_are_offered_where_they_fit() {
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
    assert!(found.candidates.len() >= 5_000 && !found.is_complete, "{}", found.candidates.len());
}

#[test]
fn recursive_types_terminate() {
    let text = "class A(B): pass\nclass B(C): pass\nclass C(A): pass\nx = A()\nx.y.z.na\ny = x.y\nx = y.x\ny.na\n";
    let index = index("main.py", text, "other.py", "");
    for (at, _) in text.char_indices() {
        complete(&index, "main.py", text, at);
    }
}

/// The candidates at `$0` on a finished line, the best first.
fn offered(path: &str, text: &str) -> Vec<String> {
    let at = text.find("$0").unwrap();
    let text = text.replace("$0", "");
    let language = Language::detect(path.rsplit('/').next().unwrap(), "").unwrap();
    let rope = Text::new(&text);
    let finished = Syntax::finish_line(language, &rope, at, "zzHere", None, &mut || false).unwrap();
    assert_eq!(
        finished.errors,
        0,
        "{}",
        finished.syntax.text().slice(0..finished.syntax.text().len())
    );
    let facts = Facts::lower(&finished.syntax, &GO).unwrap();
    let index = index(path, "", "other.py", "");
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let start = text[..at].rfind(|c| !part(c)).map_or(0, |n| n + 1);
    let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
    let typing = CompletionRequest {
        file: FileId(0),
        facts: &facts,
        text: finished.syntax.text(),
        offset: at,
        prefix: &text[start..at],
        before: &text[line..start],
        preceding: text[..line].trim_end().chars().next_back(),
        rest: finished.rest,
        allow_words: true,
        element: None,
    };
    let found = index.complete(&typing, 50).candidates;
    found.into_iter().map(|c| c.name).filter(|name| !name.contains("zzHere")).collect()
}

#[test]
fn the_next_line_does_not_affect_completion() {
    let rust = "struct Cache { start: u32 }\nfn f(cache: Cache, start_all: u32) {\n    cache.sta$0\n    (start_all, 1);\n}\n";
    assert_eq!(offered("a.rs", rust), ["start"]);
    let c = "struct box { int width; int weight; };\nvoid f(struct box *b, int wide) {\n  b->w$0\n  wide = 1;\n}\n";
    assert_eq!(offered("a.c", c), ["weight", "width"]);
    let typescript = "class Box { width = 1 }\nfunction f(b: Box) {\n  b.w$0\n  weight = b;\n}\n";
    assert_eq!(offered("a.ts", typescript), ["width"]);
    let java = "class A {\n  int width;\n  void f(A a) {\n    int x = a.w$0\n    return;\n  }\n}\n";
    assert_eq!(offered("A.java", java)[0], "width");
}

#[test]
fn a_member_is_known_in_a_file_with_elements() {
    let text = "class Count { total = 1 }\nfunction View({ count }: { count: Count }) {\n  const shown = count.$0\n  return <p title=\"x\">{shown}</p>;\n}\n";
    assert_eq!(offered("a.tsx", text), ["total"]);
    let inside = "class Count { total = 1 }\nfunction View(count: Count) {\n  return (\n    <p>\n      {count.$0\n    </p>\n  );\n}\n";
    assert_eq!(offered("a.tsx", inside), ["total"]);
}

#[test]
fn brackets_opened_on_the_line_are_closed() {
    let c = "struct box { int width; };\nint use(int a, int b);\nvoid f(struct box *b) {\n  use(1, use(2, b->w$0\n}\nvoid g(void) {}\n";
    assert_eq!(offered("a.c", c), ["width"]);
    let more = "struct box { int width; };\nint use(int a, int b);\nvoid f(struct box *b) {\n  use(b->w$0\n      2);\n}\n";
    assert_eq!(offered("a.c", more), ["width"]);
    let above = "const box = { width: 1 };\nfunction f(use) {\n  use(1,\n    2, { a: box.w$0\n  use(3);\n}\n";
    assert_eq!(offered("a.js", above), ["width"]);
    let generic = "struct Width;\nfn f() {\n    let all: Vec<Option<Wid$0\n    all.len();\n}\n";
    assert_eq!(offered("a.rs", generic)[0], "Width");
}

#[test]
fn a_block_opened_on_the_line_stays_a_block() {
    let java = "class A {\n  int width;\n  void f(A other) {\n    int local = 1;\n    if (other.w$0\n      local = 2;\n    }\n    f(this);\n  }\n}\n";
    assert_eq!(offered("A.java", java)[0], "width");
    let go = "package a\n\ntype Box struct{ width int }\n\nfunc f(b Box) {\n\tfor b.w$0\n\t\tf(b)\n\t}\n}\n";
    assert_eq!(offered("a.go", go), ["width"]);
    let python = "class Box:\n    def __init__(self): self.width = 1\n\ndef f(b: Box):\n    while b.w$0\n        pass\n";
    assert_eq!(offered("a.py", python), ["width"]);
    let rust = "struct Cache { start: u32 }\nfn f(cache: Cache) {\n    match cache.sta$0\n        1 => {}\n        _ => {}\n    }\n}\n";
    assert_eq!(offered("a.rs", rust), ["start"]);
}

#[test]
fn a_declared_type_resolves_before_its_name_is_typed() {
    let java = "class Width {}\nclass A {\n  private final Wid$0\n  int other;\n}\n";
    assert_eq!(offered("A.java", java)[0], "Width");
    let c = "typedef struct width_box { int w; } width_box;\nstruct outer {\n  width_$0\n  int other;\n};\n";
    assert_eq!(offered("a.c", c)[0], "width_box");
    let method = "class Width {}\nclass A {\n  public Wid$0\n    return null;\n  }\n}\n";
    assert_eq!(offered("A.java", method)[0], "Width");
}

#[test]
fn callables_are_offered_before_parentheses() {
    let java =
        "class A {\n  int area() { return 1; }\n  void f(A a) {\n    int x = a.ar$0\n  }\n}\n";
    assert_eq!(offered("A.java", java), ["area"]);
    let closed = "class A {\n  int area() { return 1; }\n  void f(A a) {\n    f(a.ar$0);\n  }\n}\n";
    assert_eq!(offered("A.java", closed), ["area"]);
}

#[test]
fn a_field_is_known_before_its_value_is() {
    let go = "package a\n\ntype Box struct{ width, height int }\n\nvar made = Box{\n\twid$0\n\theight: 2,\n}\n";
    assert_eq!(offered("a.go", go), ["width"]);
    let typescript = "interface Box { width: number; height: number }\nconst made: Box = {\n  wid$0\n  height: 2,\n};\n";
    assert_eq!(offered("a.ts", typescript), ["width"]);
}

#[test]
fn a_string_or_a_comment_is_not_finished() {
    let language = Language::by_id("c").unwrap();
    for text in ["f(\"a$0", "f(\"a$0b\");", "// a$0", "f(1); /* a$0 */"] {
        let at = text.find("$0").unwrap();
        let text = Text::new(&text.replace("$0", ""));
        assert!(Syntax::finish_line(language, &text, at, "zzHere", None, &mut || false).is_none());
    }
}

#[test]
fn completed_positions_map_back() {
    let language = Language::by_id("c").unwrap();
    let text = Text::new("int a;\nint x = f(\nint b;\n");
    let finished = Syntax::finish_line(language, &text, 17, "zzHere", None, &mut || false).unwrap();
    let shown = finished.syntax.text().slice(0..finished.syntax.text().len());
    assert_eq!(shown, "int a;\nint x = f(zzHere);\nint b;\n");
    let at = shown.find("b;").unwrap();
    assert_eq!(finished.to_original_offset(at), 22);
    assert_eq!(finished.to_original_offset(4), 4);
}

#[test]
fn names_that_followed_the_same_text_rank_first() {
    let text = "FIRST_A = 1\nFIRST_B = 2\nFIRST_C = 3\n\n\ndef one(key):\n    \
                if key.kind == FIRST_C:\n        return FIRST_A\n    return FIRST_A\n\n\n\
                def two(key):\n    print(FIRST_A, FIRST_B)\n    if key.kind == FI$0\n";
    assert_eq!(offered("main.py", text)[0], "FIRST_C");
}

#[test]
fn candidates_of_the_expected_type_rank_first() {
    let text = "struct Shape { int n; };\nstruct Color { int c; };\n\
                void draw(struct Color *tint);\n\n\
                void paint(struct Shape *current_a, struct Color *current_b) {\n    draw(cu$0\n}\n";
    assert_eq!(offered("main.c", text)[0], "current_b");
}
