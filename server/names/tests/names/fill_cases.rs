//! `fill_cases` and `implement_members`.

use crate::fixture::actions::{check, refused};

#[test]
fn missing_enum_members_are_added_to_a_match() {
    check(
        "fill_cases",
        "\n//- /a.rs\nenum E { A, B(u8), C { x: u8 } }\nfn f(e: E) {\n    match$0 e {\n        E::A => 1\n    };\n}\n",
        "\n//- /a.rs\nenum E { A, B(u8), C { x: u8 } }\nfn f(e: E) {\n    match e {\n        E::A => 1,\n        E::B(..) => todo!(),\n        E::C { .. } => todo!(),\n    };\n}\n",
    );
    check(
        "fill_cases",
        "\n//- /a.ts\nenum E { A, B }\nfunction f(e: E) {\n  switch$0 (e) {\n    case E.A:\n      break;\n  }\n}\n",
        "\n//- /a.ts\nenum E { A, B }\nfunction f(e: E) {\n  switch (e) {\n    case E.A:\n      break;\n    case E.B:\n      break;\n  }\n}\n",
    );
    check(
        "fill_cases",
        "\n//- /p/E.java\npackage p;\nenum E { A, B }\n//- /p/F.java\npackage p;\nclass F {\n  void f(E e) {\n    switch$0 (e) {\n      case A:\n        break;\n    }\n  }\n}\n",
        "\n//- /p/E.java\npackage p;\nenum E { A, B }\n//- /p/F.java\npackage p;\nclass F {\n  void f(E e) {\n    switch (e) {\n      case A:\n        break;\n      case B:\n        break;\n    }\n  }\n}\n",
    );
    check(
        "fill_cases",
        "\n//- /a.py\nfrom enum import Enum\nclass E(Enum):\n    A = 1\n    B = 2\n    def m(self): pass\ndef f(e):\n    match$0 e:\n        case E.A:\n            return 1\n",
        "\n//- /a.py\nfrom enum import Enum\nclass E(Enum):\n    A = 1\n    B = 2\n    def m(self): pass\ndef f(e):\n    match e:\n        case E.A:\n            return 1\n        case E.B:\n            pass\n",
    );
}

#[test]
fn a_match_with_a_default_arm_is_complete() {
    refused(
        "fill_cases",
        "\n//- /a.rs\nenum E { A, B }\nfn f(e: E) {\n    match$0 e {\n        E::A => 1,\n        _ => 2,\n    };\n}\n",
        "nothing",
    );
    refused(
        "fill_cases",
        "\n//- /a.rs\nfn f(e: (E, E)) {\n    match$0 e {\n        (E::A, _) => 1,\n    };\n}\n",
        "unknown",
    );
}

#[test]
fn missing_members_are_added_with_their_signatures() {
    check(
        "implement_members",
        "\n//- /a.rs\ntrait T {\n    fn a(&self, x: u8) -> u8;\n    fn b(&self) {}\n}\nstruct S;\nimpl$0 T for S {}\n",
        "\n//- /a.rs\ntrait T {\n    fn a(&self, x: u8) -> u8;\n    fn b(&self) {}\n}\nstruct S;\nimpl T for S {\n    fn a(&self, x: u8) -> u8 {\n        todo!()\n    }\n}\n",
    );
    check(
        "implement_members",
        "\n//- /p/A.java\npackage p;\ninterface A {\n  int a(String x);\n  default void b() { }\n}\n//- /p/B.java\npackage p;\nclass B$0 implements A {\n  void c() { }\n}\n",
        "\n//- /p/A.java\npackage p;\ninterface A {\n  int a(String x);\n  default void b() { }\n}\n//- /p/B.java\npackage p;\nclass B implements A {\n  void c() { }\n\n  @Override\n  public int a(String x) {\n    throw new UnsupportedOperationException();\n  }\n}\n",
    );
    check(
        "implement_members",
        "\n//- /a.ts\ninterface A {\n  x: number;\n  y?: number;\n  a(b: string): void;\n}\nclass B$0 implements A {\n}\n",
        "\n//- /a.ts\ninterface A {\n  x: number;\n  y?: number;\n  a(b: string): void;\n}\nclass B implements A {\n  x!: number;\n\n  a(b: string): void {\n    throw new Error(\"Method not implemented.\");\n  }\n}\n",
    );
    check(
        "implement_members",
        "\n//- /a.py\nfrom abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def a(self, x: int = 1) -> int: ...\n    def b(self): pass\nclass B$0(A):\n    c = 1\n",
        "\n//- /a.py\nfrom abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def a(self, x: int = 1) -> int: ...\n    def b(self): pass\nclass B(A):\n    c = 1\n\n    def a(self, x=1):\n        raise NotImplementedError\n",
    );
}

#[test]
fn members_with_invisible_types_are_refused() {
    refused(
        "implement_members",
        "\n//- /p/A.java\npackage p;\nimport q.Q;\npublic interface A {\n  Q a();\n}\n//- /q/Q.java\npackage q;\npublic class Q { }\n//- /r/B.java\npackage r;\nimport p.A;\nclass B$0 implements A {\n}\n",
        "scope",
    );
    refused("implement_members", "\n//- /a.py\nclass B$0(C):\n    c = 1\n", "unknown");
}
