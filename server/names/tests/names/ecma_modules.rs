//! Where the name of a JavaScript or TypeScript module leads: packages, configurations, folders.

use crate::fixture::check;

#[test]
fn configurations_have_comments_and_build_upon_others() {
    check(
        "
//- /tsconfig.base.json
{ // what all share
  \"compilerOptions\": { \"paths\": { \"@app/*\": [\"./src/*\"], /* one */ }, },
}
//- /tsconfig.json
{ \"extends\": [\"@tsconfig/strictest\", \"./tsconfig.base\"], \"include\": [\"src\"] }
//- /src/deep/x.ts
export const x = 1;
             ^
//- /src/a.ts
import { x } from '@app/deep/x';
$0x;
",
    );
}

#[test]
fn the_project_that_holds_a_file_maps_its_imports() {
    check(
        "
//- /tsconfig.json
{ \"files\": [], \"references\": [{ \"path\": \"./tsconfig.web.json\" }, { \"path\": \"./gone\" }] }
//- /tsconfig.web.json
{ \"compilerOptions\": { \"baseUrl\": \"web\" }, \"include\": [\"web\"] }
//- /web/lib/x.ts
export const x = 1;
             ^
//- /web/a.ts
import { x } from 'lib/x';
$0x;
",
    );
}

#[test]
fn javascript_has_a_configuration_of_its_own() {
    check(
        "
//- /jsconfig.json
{ \"compilerOptions\": { \"paths\": { \"~/*\": [\"./lib/*\"] } } }
//- /lib/x.js
export const x = 1;
             ^
//- /a.js
import { x } from '~/x';
$0x;
",
    );
}

#[test]
fn package_exports_are_respected() {
    check(
        "
//- /package.json
{ \"private\": true, \"workspaces\": [\"packages/*\"] }
//- /packages/lib/package.json
{ \"name\": \"@w/lib\", \"exports\": { \"./deep/*\": { \"import\": \"./source/*.js\" } } }
//- /packages/lib/source/x.ts
export const x = 1;
             ^
//- /packages/app/a.ts
import { x } from '@w/lib/deep/x';
$0x;
",
    );
    check(
        "
//- /package.json
{ \"private\": true, \"workspaces\": [\"packages/*\"] }
//- /packages/lib/package.json
{ \"name\": \"lib\", \"main\": \"dist/index.js\" }
//- /packages/lib/src/index.ts
export const x = 1;
             ^
//- /packages/app/a.ts
import { x } from 'lib';
$0x;
",
    );
}

#[test]
fn packages_name_their_own_parts() {
    check(
        "
//- /package.json
{ \"name\": \"me\", \"imports\": { \"#part/*\": \"./src/*.js\" }, \"exports\": \"./src/main.js\" }
//- /src/x.ts
export const x = 1;
             ^
//- /a.ts
import { x } from '#part/x';
$0x;
",
    );
    check(
        "
//- /package.json
{ \"name\": \"me\", \"exports\": { \".\": \"./src/main.js\" } }
//- /src/main.js
export const x = 1;
             ^
//- /test/a.js
import { x } from 'me';
$0x;
",
    );
}

#[test]
fn a_package_that_no_workspace_gathers_is_not_seen() {
    check(
        "
//- /package.json
{ \"name\": \"top\" }
//- /other/package.json
{ \"name\": \"other\", \"main\": \"index.js\" }
//- /other/index.js
export const x = 1;
//- /a.js
import { x } from 'other';
         ^
$0x;
",
    );
}

#[test]
fn endings_and_folders() {
    check(
        "
//- /x.mts
export const x = 1;
             ^
//- /x.d.ts
export const x: string;
//- /a.mts
import { x } from './x.mjs';
$0x;
",
    );
    check(
        "
//- /lib/package.json
{ \"types\": \"./entry.d.ts\", \"main\": \"./gone.js\" }
//- /lib/entry.d.ts
export const x: string;
             ^
//- /lib/index.ts
export const x = 1;
//- /a.ts
import { x } from './lib';
$0x;
",
    );
}

#[test]
fn broken_project_files_cost_nothing_else() {
    check(
        "
//- /tsconfig.json
{ \"compilerOptions\": { \"paths\": [[[
//- /package.json
{ \"name\": 3, \"exports\": }
//- /lib.ts
export const x = 1;
             ^
//- /a.ts
import { x } from './lib.js';
$0x;
",
    );
    check(
        "
//- /tsconfig.json
{ \"extends\": \"./tsconfig.json\", \"compilerOptions\": { \"baseUrl\": \".\" } }
//- /lib.ts
export const x = 1;
             ^
//- /a.ts
import { x } from './lib';
$0x;
",
    );
}

/// A workspace with a package whose sources are exported under a custom condition.
const CONDITIONS: &str = "
//- /package.json
{ \"private\": true }
//- /packages/zod/package.json
{ \"name\": \"zod\", \"exports\": {
  \".\": { \"types\": \"./index.d.cts\", \"import\": \"./index.js\", \"@zod/source\": \"./first/main.ts\" },
  \"./v4/*\": { \"@zod/source\": \"./first/*/main.ts\", \"import\": \"./v4/*/index.js\" } } }
//- /packages/zod/index.d.cts
export const x: string;
";

#[test]
fn conditions_of_the_configuration_choose_sources() {
    let configured = |configuration: &str| {
        let text = format!(
            "{CONDITIONS}{configuration}
//- /packages/zod/first/core/main.ts
export const x = 1;
             ^
//- /packages/app/a.ts
import {{ x }} from 'zod/v4/core';
$0x;
"
        );
        check(&text);
    };
    configured(
        "//- /tsconfig.json\n{ \"compilerOptions\": { \"customConditions\": [\"@zod/source\"] } }",
    );
    configured(
        "//- /tsconfig.base.json
{ // what all share
  \"compilerOptions\": { \"customConditions\": [\"@zod/source\"], } }
//- /packages/app/tsconfig.json
{ \"extends\": [\"../../tsconfig.base.json\"] }",
    );
}

#[test]
fn a_condition_holds_for_the_files_of_its_configuration_only() {
    check(
        &format!(
            "{CONDITIONS}
//- /packages/app/tsconfig.json
{{ \"compilerOptions\": {{ \"customConditions\": [\"other\"] }} }}
//- /packages/zod/first/main.ts
export const x = 1;
//- /packages/app/a.ts
import {{ x }} from 'zod';
$0x;
",
        )
        .replace("export const x: string;", "export const x: string;\n             ^"),
    );
}

#[test]
fn unbuilt_packages_resolve_to_their_sources() {
    check(
        "
//- /package.json
{ \"private\": true, \"workspaces\": [\"packages/*\"] }
//- /packages/core/package.json
{ \"name\": \"@w/core\", \"exports\": { \"./deep\": { \"types\": \"./made/inner/deep.d.ts\" } } }
//- /packages/core/tsconfig.build.json
{ \"extends\": \"../../tsconfig.base.json\", \"compilerOptions\": { \"outDir\": \"made\", \"rootDir\": \"source\" } }
//- /packages/core/source/inner/deep.ts
export const x = 1;
             ^
//- /packages/app/a.ts
import { x } from '@w/core/deep';
$0x;
",
    );
    check(
        "
//- /package.json
{ \"private\": true, \"workspaces\": [\"packages/*\"] }
//- /packages/core/package.json
{ \"name\": \"@w/core\", \"main\": \"./dist/esm/main.js\" }
//- /packages/core/src/main.ts
export const x = 1;
             ^
//- /packages/app/a.ts
import { x } from '@w/core';
$0x;
",
    );
    check(
        "
//- /core/tsconfig.json
{ \"compilerOptions\": { \"outDir\": \"made\", \"composite\": true } }
//- /core/src/main.ts
export const x = 1;
             ^
//- /app/tsconfig.json
{ \"references\": [{ \"path\": \"../core\" }] }
//- /app/a.ts
import { x } from '../core/made/main.js';
$0x;
",
    );
}

#[test]
fn a_package_imports_itself_without_a_workspace() {
    check(
        "
//- /package.json
{ \"name\": \"me\", \"exports\": { \".\": \"./dist/main.js\" }, \"imports\": { \"#x\": \"./dist/x.js\" } }
//- /src/main.ts
export * from '#x';
//- /src/x.ts
export const x = 1;
             ^
//- /test/a.ts
import { x } from 'me';
$0x;
",
    );
}

#[test]
fn a_namespace_that_is_the_module_gives_its_names() {
    let text = "
//- /react.d.ts
export = React;
export as namespace React;
declare namespace React {
  function useState(a: number): number;
           ^^^^^^^^
}
//- /a.ts
import React, { useState } from './react';
useSt$0ate(1);
";
    check(text);
    check(&text.replace("useSt$0ate(1)", "React.useSt$0ate(1)"));
    check(
        &text
            .replace("import React,", "import * as React from './react'; import")
            .replace("useSt$0ate(1)", "React.useSt$0ate(1)"),
    );
    let function = "declare function React(): void;\ndeclare namespace";
    check(&text.replace("declare namespace", function));
}
