use super::*;

/// The packages as `name version line`, with `dev`.
fn read(file_name: &str, text: &str) -> Vec<String> {
    let packages = read_lock(file_name, text).unwrap_or_else(|error| panic!("{file_name} {error}"));
    let shown = |found: &LockedPackage| {
        let dev = if found.is_dev { " dev" } else { "" };
        format!("{} {} {}{dev}", found.name, found.version, found.line)
    };
    packages.iter().map(shown).collect()
}

#[test]
fn cargo_lock_without_the_workspace_itself() {
    let text = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://x\"\n\n\
                [[package]]\nname = \"mine\"\nversion = \"0.1.0\"\ndependencies = [\"a\"]\n\n\
                [[package]]\nname = \"g\"\nversion = \"0.2.0\"\nsource = \"git+https://x#1\"\n";
    assert_eq!(read("Cargo.lock", text), ["a 1.0.0 4"]);
}

#[test]
fn python_lock_files() {
    let text = "version = 1\n\n[[package]]\nname = \"mine\"\nversion = \"0.1\"\nsource = { virtual = \".\" }\n\n\
                [[package]]\nname = \"requests\"\nversion = \"2.0\"\nsource = { registry = \"https://x\" }\n";
    assert_eq!(read("uv.lock", text), ["requests 2.0 9"]);
    let text = "[[package]]\nname = \"pytest\"\nversion = \"8.0\"\ngroups = [\"dev\"]\n\n\
                [[package]]\nname = \"django\"\nversion = \"5.0\"\ngroups = [\"main\", \"dev\"]\n";
    assert_eq!(read("poetry.lock", text), ["pytest 8.0 2 dev", "django 5.0 7"]);
    let text = "# pinned\n-r base.txt\nDjango==5.0.1 ; python_version > '3'  # why\nrequests[socks] == 2.31.0 \\\n    --hash=sha256:x\nnumpy>=1.0\nflask==2.*\n";
    assert_eq!(read("requirements-dev.txt", text), ["Django 5.0.1 3", "requests 2.31.0 4"]);
    let text = "{\"_meta\": {}, \"default\": {\n\"a\": {\"version\": \"==1.0\"}},\n\"develop\": {\n\"b\": {\"version\": \"==2.0\"}}}";
    assert_eq!(read("Pipfile.lock", text), ["a 1.0 2", "b 2.0 4 dev"]);
}

#[test]
fn npm_lock_files_of_all_versions() {
    let text = r#"{
  "lockfileVersion": 3,
  "packages": {
    "": { "name": "app", "version": "1.0.0" },
    "node_modules/a": { "version": "1.0.0" },
    "node_modules/a/node_modules/@s/b": { "version": "2.0.0", "dev": true },
    "node_modules/alias": { "name": "real", "version": "3.0.0" },
    "node_modules/linked": { "resolved": "packages/linked", "link": true },
    "packages/linked": { "version": "0.0.1" }
  }
}"#;
    let expected = ["a 1.0.0 5", "@s/b 2.0.0 6 dev", "real 3.0.0 7"];
    assert_eq!(read("package-lock.json", text), expected);
    let text = r#"{
  "lockfileVersion": 1,
  "dependencies": {
    "a": { "version": "1.0.0", "dependencies": {
      "b": { "version": "2.0.0", "dev": true } } },
    "c": { "version": "git+ssh://x" },
    "d": { "version": "npm:real@3.0.0" }
  }
}"#;
    assert_eq!(read("package-lock.json", text), ["a 1.0.0 4", "b 2.0.0 5 dev", "real 3.0.0 7"]);
}

#[test]
fn yarn_and_pnpm() {
    let text = "# yarn lockfile v1\n\n\"@babel/core@^7.0.0\", \"@babel/core@^7.1.0\":\n  version \"7.2.0\"\n  resolved \"x\"\n\n\
                a@^1.0.0, a@~1.0.1:\n  version \"1.0.2\"\n  dependencies:\n    version-of \"1\"\n\n\
                al@npm:real@^3.0.0:\n  version \"3.1.0\"\n";
    assert_eq!(read("yarn.lock", text), ["@babel/core 7.2.0 3", "a 1.0.2 7", "real 3.1.0 12"]);
    let text = "__metadata:\n  version: 8\n\n\"a@npm:^1.0.0\":\n  version: 1.0.2\n  resolution: \"a@npm:1.0.2\"\n\n\
                \"app@workspace:.\":\n  version: 0.0.0-use.local\n";
    assert_eq!(read("yarn.lock", text), ["a 1.0.2 4"]);
    let text = "lockfileVersion: '9.0'\n\nimporters:\n  .:\n    dependencies:\n\npackages:\n\n  '@s/a@1.0.0':\n    resolution: {}\n\n  b@2.0.0(c@1.0.0):\n    dev: true\n\nsnapshots:\n\n  '@s/a@1.0.0': {}\n";
    assert_eq!(read("pnpm-lock.yaml", text), ["@s/a 1.0.0 9", "b 2.0.0 12 dev"]);
    let text = "lockfileVersion: 5.4\n\npackages:\n\n  /@s/a/1.0.0:\n    dev: false\n  /b/2.0.0_c@1.0.0:\n    dev: true\n";
    assert_eq!(read("pnpm-lock.yaml", text), ["@s/a 1.0.0 5", "b 2.0.0 7 dev"]);
}

#[test]
fn go_java_ruby_and_php() {
    let text = "module example.com/m\n\ngo 1.21\n\nrequire example.com/a v1.0.0\n\nrequire (\n\texample.com/b v0.2.0 // indirect\n)\n\nreplace example.com/c => ./c\n";
    assert_eq!(read("go.mod", text), ["example.com/a v1.0.0 5", "example.com/b v0.2.0 8"]);
    let text = "# generated\norg.a:b:1.0=compileClasspath,runtimeClasspath\norg.c:d:2.0=testCompileClasspath\nempty=\n";
    assert_eq!(read("gradle.lockfile", text), ["org.a:b 1.0 2", "org.c:d 2.0 3 dev"]);
    let text = "GIT\n  remote: x\n  specs:\n    g (1.0)\n\nGEM\n  remote: y\n  specs:\n    rails (7.0.1)\n      activesupport (= 7.0.1)\n    nokogiri (1.15.0-x86_64-linux)\n\nDEPENDENCIES\n  rails\n";
    assert_eq!(read("Gemfile.lock", text), ["rails 7.0.1 9", "nokogiri 1.15.0 11"]);
    let text = "{\n \"packages\": [\n  {\n   \"name\": \"a/b\",\n   \"version\": \"v1.0.0\"\n  }\n ],\n \"packages-dev\": [{\"name\": \"c/d\", \"version\": \"2.0\"}]\n}";
    assert_eq!(read("composer.lock", text), ["a/b v1.0.0 4", "c/d 2.0 8 dev"]);
    let text = "<?xml version=\"1.0\"?>\n<project xmlns=\"x\">\n <version>3.0</version>\n <properties><spring.version>5.3.1</spring.version></properties>\n <!-- <dependency> -->\n <dependencies>\n  <dependency>\n   <groupId>org.s</groupId>\n   <artifactId>web</artifactId>\n   <version>${spring.version}</version>\n  </dependency>\n  <dependency><groupId>j</groupId><artifactId>u</artifactId><version>4.1</version><scope>test</scope></dependency>\n  <dependency><groupId>m</groupId><artifactId>n</artifactId></dependency>\n  <dependency><groupId>m</groupId><artifactId>o</artifactId><version>[1,2)</version></dependency>\n </dependencies>\n</project>\n";
    assert_eq!(read("pom.xml", text), ["org.s:web 5.3.1 7", "j:u 4.1 12 dev"]);
}

#[test]
fn what_is_not_in_its_format_is_an_error() {
    let deep = "<a>".repeat(100_000);
    for (file_name, text) in [
        ("Cargo.lock", "[[package]"),
        ("package-lock.json", "{}"),
        ("package-lock.json", "[]"),
        ("composer.lock", "{}"),
        ("Pipfile.lock", "{}"),
        ("pnpm-lock.yaml", "packages:\n  a@1.0.0:\n"),
        ("yarn.lock", "  nonsense\n"),
        ("go.mod", "require a v1\n"),
        ("gradle.lockfile", "nonsense\n"),
        ("Gemfile.lock", "nonsense\n"),
        ("pom.xml", "<html></html>"),
        ("pom.xml", "<project><a></b></project>"),
        ("pom.xml", &deep),
        ("package.json", "{}"),
    ] {
        assert!(read_lock(file_name, text).is_err(), "{file_name} {text:.40}");
    }
    let nested = "{\"a\":{\"version\":\"1.0.0\",\"dependencies\":".repeat(70);
    let text = format!("{{\"dependencies\":{nested}{{}}{}}}", "}}".repeat(70));
    assert!(read_lock("package-lock.json", &text).is_err());
}
