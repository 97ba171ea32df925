//! Python: conditional imports and definitions.

use crate::fixture::check;

#[test]
fn all_conditional_imports_are_definitions() {
    let os = "
//- /os.py
if 'nt' in _names:
    import ntpath as path
elif 'posix' in _names:
    import posixpath as path
";
    let nt = "//- /ntpath.py\ndef join(a): pass\n    ^^^^\n";
    let posix = "//- /posixpath.py\ndef join(a): pass\n    ^^^^\n";
    for use_ in ["import os\nos.path.jo$0in(1)", "from os import path\npath.jo$0in(1)"] {
        check(&format!("{os}{nt}{posix}//- /a.py\n{use_}\n"));
    }

    let nt = nt.replace("    ^^^^\n", "");
    check(&format!(
        "
//- /a.py
import sys
if sys.version_info >= (3, 0):
    import posixpath as path
else:
    import ntpath as path
def f():
    return path.jo$0in(1)
{nt}//- /posixpath.py
def join(a): pass
    ^^^^
"
    ));
}

#[test]
fn within_its_branch_only_that_import_counts() {
    check(
        "
//- /a.py
def f(x):
    if x:
        import one as m
        m.ru$0n()
    else:
        import two as m
//- /one.py
def run(): pass
    ^^^
//- /two.py
def run(): pass
",
    );
}

#[test]
fn functions_for_another_platform_are_ignored() {
    check(
        "
//- /a.py
import sys
if sys.platform == 'win32':
    def f(): pass
else:
    def f(): pass
        ^
def g():
    f$0()
",
    );
}
