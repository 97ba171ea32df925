use expect_test::expect;

use crate::look::{folds, highlights, links, outline, well_indented};

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
fn outlines() {
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
fn classes() {
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
