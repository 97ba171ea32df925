use expect_test::expect;

use crate::look::{class_of, folds, highlights, outline};

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
fn what_is_declared_is_listed() {
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
fn names_words_and_literals_differ() {
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
fn commands_are_for_the_shell() {
    for command in ["apt-get update", "echo hi", "curl x", "npm start"] {
        assert!(class_of("dockerfile", SOURCE, command).starts_with("function"), "{command}");
    }
    // The lines after a comment go on with the command.
    assert_eq!(class_of("dockerfile", SOURCE, "# c"), "comment");
    assert_eq!(class_of("dockerfile", SOURCE, "rm -rf"), "function");
}
