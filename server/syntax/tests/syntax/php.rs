use crate::errors::errors_by_line;
use expect_test::expect;

use crate::snapshot::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"<?php
namespace App\Model;
use Foo\Bar as Baz;
use Foo\Other;
require_once __DIR__ . '/x.php';
define("DB", "x");
/** Of a user. */
#[Attr]
final class User extends Base implements I
{
    public const X = 'a';
    private ?string $name = null;
    public function __construct(private readonly int $id, string ...$rest)
    {
        $this->name = strtoupper("a $id\n") ?? self::X;
        switch ($id) {
            case 1:
                break;
        }
        return $this->rows()
            ->map(fn($x) => $x + 1)
            ->all([
                'a' => 1,
            ]);
    }
}
enum S: string { case On = 'on'; }
function f(array $a): never { throw new Exception(); }
"#;

#[test]
fn outline_items() {
    expect![[r#"
        namespace App\Model
        constant DB
        class User Base
          constant X
          property $name ?string
          constructor __construct (private readonly int $id, string ...$rest)
            property $id int
        enum S
          enum_member On 'on'
        function f (array $a)
    "#]]
    .assert_eq(&outline("php", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        attribute: Attr
        comment.documentation: /** Of a user. */
        constant: X X
        constant.builtin: __DIR__ null
        constant.member: On
        constructor: __construct
        escape: \n
        function: strtoupper f
        function.builtin: define
        function.method: rows map all
        keyword: namespace use as use require_once final class extends implements public const private public function private readonly switch case break return fn enum case function throw new
        namespace: App Model Foo Foo
        number: 1 1 1
        operator: . = ? = ... -> = ?? -> -> => + -> => =
        property: $name $id name
        string: '/x.php' "DB" "x" 'a' "a  " 'a' 'on'
        tag: <?php
        type: Bar Baz Other Base I Exception
        type.builtin: string int string string array never
        type.class: User
        type.enum: S
        variable: $id $id $x
        variable.builtin: $this self $this
        variable.parameter: $rest $x $a
    "#]].assert_eq(&highlights("php", SOURCE));
}

#[test]
fn bodies_and_uses_fold() {
    assert_eq!(
        folds("php", SOURCE),
        "3-5 Imports, 10-25 Code, 14-24 Code, 16-18 Code, 17-18 Code, 22-23 Code"
    );
}

#[test]
fn bodies_are_indented() {
    well_indented("php", 4, SOURCE);
    well_indented(
        "php",
        4,
        "<p>\n  <?php\nif (a()):\n    b();\nelse:\n    c();\nendif;\n?>\n</p>\n",
    );
}

#[test]
fn required_files_are_linked() {
    assert_eq!(links("php", SOURCE), ["/x.php"]);
}

#[test]
fn members_without_name_or_keyword_are_reported() {
    for (source, wanted) in [
        ("  protected function (): A\n", "2: expected a name after `function`"),
        ("  public  a()\n", "2: expected `function` before `a`"),
        ("  public public function a()\n", "2: unexpected `public`"),
    ] {
        let source = format!(
            "<?php class A {{\n{source}  {{\n    return 1;\n  }}\n\n  public function b() {{}}\n}}\n"
        );
        assert_eq!(errors_by_line("php", &source), [wanted], "{source}");
    }
    let sound = "<?php class A {\n  public private(set) string $a;\n  private static ?B $c = null;\n  \
                 public const D = 1;\n  function public() { return $this->public(static function () {}); }\n}\n";
    assert!(errors_by_line("php", sound).iter().all(|error| !error.contains("public")), "{sound}");
}

/// The quote inverts strings and code up to the next such mistake.
#[test]
fn a_multiline_string_followed_by_a_word_is_reported() {
    for (source, line) in [
        ("<?php\n$a = b('c);\n$d = e['f'];\n$g = 'h';\n", 2),
        ("<?php\n$a = 'it\\'s\nfine';\n$b = c(d');\n$e = 'f';\n", 4),
        ("<?php\n$a = \"{$b[\"c\"]} 'd\";\n// it's\n$e = f('g;\n", 4),
    ] {
        let wanted = format!("{line}: unclosed string that starts on line {line}");
        assert_eq!(errors_by_line("php", source), [wanted], "{source}");
    }
    let sound = "<?php\n$a = 'b\nc'.D;\n$e = <<<F\n it's\n F;\n# don't\n?>\nit's <?= \"x\ny\" ?>\n";
    assert_eq!(errors_by_line("php", sound), [""; 0]);
}
