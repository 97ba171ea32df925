use expect_test::expect;

use crate::errors::errors_with_spans;
use crate::snapshot::{class_of, folds, highlights, outline};

pub(crate) const SOURCE: &str = r##"# syntax=docker/dockerfile:1
ARG V=1.0
FROM --platform=linux/amd64 node:${V}-alpine@sha256:abc AS build
LABEL a="b" c=d
ENV A=1 \
    B="x $V"
WORKDIR /app
COPY --chown=a:b package.json ./
ADD ["a", "b"]
RUN --mount=type=cache,target=/x apt-get update && \
    apt-get install -y foo \
    # c
    && rm -rf /x
RUN <<EOF
echo hi
EOF
SHELL ["/bin/bash", "-c"]
EXPOSE 80/tcp
VOLUME /data
USER me:you
HEALTHCHECK --interval=5s CMD curl x
STOPSIGNAL SIGTERM
FROM build
COPY --from=build /a /b
ENTRYPOINT ["node", "x.js"]
CMD npm start
ONBUILD RUN ls
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        variable V 1.0
        module build node:${V}-alpine@sha256:abc
          variable A 1
          variable B "x $V"
        module build
    "#]]
    .assert_eq(&outline("dockerfile", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: --platform linux/amd64 --chown a:b --mount type cache target /x -y -rf --interval 5s --from build
        comment: # syntax=docker/dockerfile:1
         # c

        escape: \
         \
         \

        function: apt-get apt-get rm curl npm ls
        function.builtin: echo
        keyword: ARG FROM AS LABEL ENV WORKDIR COPY ADD RUN RUN SHELL EXPOSE VOLUME USER HEALTHCHECK CMD STOPSIGNAL FROM COPY ENTRYPOINT CMD ONBUILD RUN
        label: build <<EOF EOF
        number: 80/tcp
        operator: && &&
        property: a c
        string: 1.0 "b" d 1 "x  " /app package.json ./ "a" "b" update install foo /x   hi
         "/bin/bash" "-c" /data me you x /a /b "node" "x.js" start
        string.special: -alpine @sha256:abc
        type: node build
        variable: V V A B V
    "#]].assert_eq(&highlights("dockerfile", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["5-6 Code, 10-13 Code, 14-16 Code"].assert_eq(&folds("dockerfile", SOURCE));
}

#[test]
fn commands_embed_the_shell() {
    for command in ["apt-get update", "echo hi", "curl x", "npm start"] {
        assert!(class_of("dockerfile", SOURCE, command).starts_with("function"), "{command}");
    }
    // Lines after a comment continue the command.
    assert_eq!(class_of("dockerfile", SOURCE, "# c"), "comment");
    assert_eq!(class_of("dockerfile", SOURCE, "rm -rf"), "function");
}

fn errors(source: &str) -> Vec<String> {
    errors_with_spans("dockerfile", source)
}

#[test]
fn valid_dockerfiles_have_no_errors() {
    for source in [
        SOURCE,
        "# escape=`\nFROM a\nRUN powershell `\n    [A]::B = [C]::D; `\n\n    # c\n    E\nCOPY x y\\\nRUN f\n",
        "FROM a as a/b\nENV \"A\"=\"5\" \"B C\"=d\nENV name='a\\'b''\nENV a=\\'b c=d\\ e f=\"g\\\"h\"\n",
        "FROM a\nENV a b 'c d' e\nLABEL a=it\\'s \\\n  b=\"c \\\nd\"\nARG a=\"b c\" d\n",
        "FROM a\nRUN <<-'A' cat <<B > /c\nit's\n\tA\nBOGUS \"\nB\nCOPY <<x.txt /x\n\\\nx.txt\nRUN f <<< $((1<<2))\n",
        "FROM a\nRUN [ \"x\" = y ] && [ ! -e y ]\nCMD []\nENTRYPOINT\nRUN [\"a\", \\\n # c\n  \"b\"]\nRUN it's\n",
        "from a\r\ncopy --chown=a:b \\\r\n  c d\r\nhealthcheck none\r\n",
        "# syntax=other/frontend:1\nFROM a\nINCLUDE b\n",
        "{{ if .a }}\nFROM a b c d\n{{ end }}\n",
        "FROM {{ .image }}\nBOGUS\n",
        "\u{feff}# escape=`\nFROM a\nRUN b `\n  c\n",
        "",
        "# nothing\n",
    ] {
        assert_eq!(errors(source), [""; 0], "{source}");
    }
}

#[test]
fn invalid_dockerfiles_have_errors() {
    for (source, expected) in [
        ("FORM a\n", "FORM: unknown instruction `FORM`"),
        ("FROM a\nRUN b\n  && c\n  && d\nRUN e\n", "&&: unknown instruction `&&`"),
        ("FROM a\nRUN\nCMD b\n", "RUN: expected arguments after `RUN`"),
        ("FROM\n", "FROM: expected arguments after `FROM`"),
        ("FROM a b\n", "b: expected `AS` before `b`"),
        ("FROM a as\n", "as: expected a name after `as`"),
        ("FROM a AS b c\n", "c: unexpected `c`"),
        ("FROM a\nENV b\n", "b: expected a value after `b`"),
        ("FROM a\nENV b=c \\\n  d\n", "d: expected `=` after `d`"),
        ("FROM a\nLABEL =c\n", "=c: expected a name before `=`"),
        ("FROM a\nENV b=\"c \\\n  d=e\nRUN f\n", "\"c: unclosed string that starts on line 2"),
        ("FROM a\nLABEL b=it's\n", "'s: unclosed string that starts on line 2"),
        ("# escape=`\nFROM a\nENV b=\"c\\\"d\"\n", "\": unclosed string that starts on line 3"),
        ("FROM a\nCOPY --from=b c\n", "c: expected a destination after `c`"),
        ("FROM a\nCOPY [\"c\"\nRUN a\n", "[: unclosed `[` that opens on line 2"),
        ("FROM a\nCMD [\"b\", 'c']\n", "'c': unexpected `'c'`"),
        ("FROM a\nCOPY --from c d e\n", "--from: expected `=` after `--from`"),
        ("FROM a\nARG b =c\n", "=c: expected a name before `=`"),
        ("FROM a\nSHELL [bash]\n", "bash: unexpected `bash`"),
        ("FROM a\nSHELL bash\n", "bash: expected a list, `[\"…\"]`, before `bash`"),
        (
            "FROM a\nHEALTHCHECK --interval=1s curl b\n",
            "curl: expected `CMD` or `NONE` before `curl`",
        ),
        ("FROM a\nHEALTHCHECK CMD\n", "CMD: expected a command after `CMD`"),
        ("FROM a\nONBUILD FROM b\n", "FROM: `FROM` cannot follow on `ONBUILD`"),
        ("FROM a\nONBUILD COPY b\n", "b: expected a destination after `b`"),
        ("FROM a\nRUN cat <<END > b\nc\nRUN d\n", "<<END: unclosed `<<END` that opens on line 2"),
    ] {
        assert_eq!(errors(source), [expected], "{source}");
    }
}
