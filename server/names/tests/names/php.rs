//! PHP: namespaces, imports, members, types.

use crate::diagnostics;
use crate::fixture::rename;
use crate::fixture::{check, check_references};

#[test]
fn namespaces_and_imports() {
    check(
        r"
//- /src/Models/User.php
<?php
namespace App\Models;
class User {}
      ^^^^
//- /src/Http/UserController.php
<?php
namespace App\Http;
use App\Models\User;
class UserController { function show(Us$0er $user) {} }
",
    );
    // A class that is imported by the name of a namespace.
    check(
        r"
//- /src/IO.php
<?php
namespace Composer\IO;
interface IO {}
          ^^
//- /src/a.php
<?php
namespace Composer\Installer;
use Composer\Composer;
use Composer\IO\I$0O;
",
    );
    check(
        r"
//- /src/old.php
<?php
class Legacy {}
      ^^^^^^
//- /src/a.php
<?php
namespace App;
use Legacy;
new Leg$0acy();
",
    );
    // An alias, and a group.
    check(
        r"
//- /src/Models/User.php
<?php
namespace App\Models;
class User {}
      ^^^^
//- /src/a.php
<?php
use App\Models\{Post, User as Account};
new Acc$0ount();
",
    );
    // Of the same namespace, fully qualified, and below the own namespace.
    for usage in [
        "namespace App\\Models;\nfunction f(User $x) { new Us$0er; }",
        "namespace Other;\n\\App\\Models\\Us$0er::find(1);",
        "namespace App;\n$x = new Models\\Us$0er();",
    ] {
        check(&format!(
            "
//- /src/Models/User.php
<?php
namespace App\\Models;
class User {{ static function find($id) {{}} }}
      ^^^^
//- /src/a.php
<?php
{usage}
"
        ));
    }
}

#[test]
fn global_functions_and_constants_are_seen_in_every_namespace() {
    check(
        r"
//- /helpers.php
<?php
function route($name) {}
         ^^^^^
//- /src/a.php
<?php
namespace App;
rou$0te('home');
",
    );
    check(
        r"
//- /config.php
<?php
const DEBUG = true;
      ^^^^^
//- /src/a.php
<?php
namespace App;
if (DEB$0UG) {}
",
    );
}

#[test]
fn members_of_this_self_and_parent() {
    check(
        r"
//- /a.php
<?php
class Base {
    protected int $count = 0;
                   ^^^^^
}
class User extends Base {
    function f() { return $this->cou$0nt; }
}
",
    );
    check(
        r"
//- /a.php
<?php
class Base {
    const LIMIT = 3;
          ^^^^^
    static function make() { return new static; }
}
class User extends Base {
    function f() { return self::LI$0MIT + parent::make(); }
}
",
    );
    check(
        r"
//- /a.php
<?php
class Base {
    function save() {}
             ^^^^
}
class User extends Base {
    static function make(): static { return new self(); }
    function save() { parent::sa$0ve(); }
}
",
    );
}

#[test]
fn types_of_variables_parameters_and_results() {
    check(
        r"
//- /a.php
<?php
class User { public ?Team $team; function team(): Team { return $this->team; } }
class Team { function name() {} }
                      ^^^^
function f(User $user) {
    $team = $user->team();
    return $team->na$0me();
}
",
    );
    check(
        r"
//- /a.php
<?php
class Repo { function find($id) {} }
                      ^^^^
class Service {
    public function __construct(private readonly Repo $repo) {}
    function f() { return $this->repo->fi$0nd(1); }
}
",
    );
    check(
        r"
//- /a.php
<?php
class User { function name() {} }
                      ^^^^
$f = function (User $u) use ($x) { return $u->na$0me(); };
",
    );
    check(
        r"
//- /a.php
<?php
class User { static function make(): static { return new static; } function name() {} }
                                                                            ^^^^
User::make()->na$0me();
",
    );
}

#[test]
fn traits_lend_members() {
    check(
        r"
//- /a.php
<?php
trait Named { function name() {} }
trait Logs { function log() {} }
                      ^^^
class User { use Named, Logs; function f() { $this->l$0og(); } }
",
    );
}

#[test]
fn variables_belong_to_their_function() {
    check_references(
        r"
//- /a.php
<?php
function f($a) {
    $tot$0al = $a;
     ^^^^^
    foreach ([1] as $k => $v) { $total += $v; }
                                 ^^^^^
    return $total;
            ^^^^^
}
function g() { $total = 1; return $total; }
",
    );
    check(
        r"
//- /a.php
<?php
function f($xs) {
    foreach ($xs as $one) {
                     ^^^
        echo $o$0ne;
    }
}
",
    );
}

#[test]
fn references_of_a_method() {
    check_references(
        r"
//- /User.php
<?php
namespace App;
class User { public function na$0me() { return $this->name(); } }
                             ^^^^                   ^^^^
//- /a.php
<?php
use App\User;
function f(User $u, $other) { $u->name(); $other->name(); }
                                  ^^^^
",
    );
}

#[test]
fn a_name_that_several_files_define_is_not_guessed() {
    check(
        r"
//- /a.php
<?php
function helper() {}
//- /b.php
<?php
function helper() {}
//- /c.php
<?php
hel$0per();
",
    );
}

#[test]
fn comments_give_types() {
    check(
        r"
//- /a.php
<?php
namespace App;
class User { function name() {} }
                      ^^^^
class Repo {
    /** @var User[] */
    private $all = [];
    /**
     * @param int|null $id of it
     * @return User|null
     */
    function find($id) { return $this->all[$id]; }
    function f() { return $this->find(1)->na$0me(); }
}
",
    );
    check(
        r"
//- /a.php
<?php
namespace App;
class User { function name() {} }
                      ^^^^
class Repo {
    /** @var array<int, User> the users */
    private array $all = [];
    function f() { foreach ($this->all as $one) { $one->na$0me(); } }
}
",
    );
    check(
        r"
//- /a.php
<?php
namespace App\Models;
class User { function name() {} }
                      ^^^^
//- /b.php
<?php
namespace Other;
/** @param \App\Models\User $user */
function f($user) { $user->na$0me(); }
",
    );
    check(
        r"
//- /a.php
<?php
namespace App;
class User { function name() {} }
                      ^^^^
/** @var User $user */
$user = make();
$user->na$0me();
",
    );
    check_references(
        r"
//- /a.php
<?php
class Us$0er {}
      ^^^^
/** @return User|null */
            ^^^^
function f() {}
",
    );
}

#[test]
fn a_name_after_a_backslash_is_global() {
    check(
        r"
//- /a.php
<?php
class Model {}
      ^^^^^
//- /b.php
<?php
namespace App;
class Model extends \Mo$0del {}
",
    );
    check(
        r"
//- /b.php
<?php
namespace App;
class Exception extends \Exc$0eption {}
",
    );
}

#[test]
fn renames_follow_imports_members_and_comments() {
    rename::check(
        r"
//- /src/Models/User.php
<?php
namespace App;
class ol$0d {}
//- /src/a.php
<?php
use App\old;
/** @param old $user */
function f(old $user): ?old { return new old(); }
//- /src/b.php
<?php
use App\old as Account;
new Account();
",
    );
    rename::check(
        r"
//- /a.php
<?php
interface Named { function old(); }
class User implements Named { function ol$0d() {} }
function f(Named $named, User $user) { $named->old(); $user->old(); }
class Other { function old~() {} }
",
    );
    rename::check(
        r"
//- /a.php
<?php
class User {
    private $old = 1;
    function f($old~) { return $this->ol$0d + $old~; }
}
",
    );
}

#[test]
fn unused_imports_are_reported() {
    diagnostics::check(
        r"
//- /a.php
<?php
namespace App;
use App\Models\User;
use App\Models\Post;
use Doctrine\ORM\Mapping as ORM;
use App\Models\Comment as Remark;
/** @ORM\Entity */
class C { function f(user $u) {} }
",
        &["a.php:4 unused-import Post", "a.php:6 unused-import Remark"],
    );
}
