(comment) @comment
[
  "ADD" "ARG" "AS" "CMD" "COPY" "CROSS_BUILD" "ENTRYPOINT" "ENV" "EXPOSE" "FROM" "HEALTHCHECK"
  "LABEL" "MAINTAINER" "NONE" "ONBUILD" "RUN" "SHELL" "STOPSIGNAL" "USER" "VOLUME" "WORKDIR"
] @keyword

(image_name) @type
(image_tag) @string.special
(image_digest) @string.special
(image_alias) @label
[(path) (unquoted_string)] @string
[(double_quoted_string) (single_quoted_string) (json_string)] @string
(escape_sequence) @escape
(expose_port) @number
[(param) (mount_param)] @attribute
[(arg_pair name: (_) @variable) (env_pair name: (_) @variable) (label_pair key: (_) @property)]
(variable) @variable
(expansion_operator) @operator
(expansion ["$" "{" "}"] @punctuation)
[(heredoc_marker) (heredoc_end)] @label
(heredoc_content) @string
(line_continuation) @escape
["=" ":" "," "[" "]"] @punctuation
