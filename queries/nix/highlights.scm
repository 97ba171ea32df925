(variable_expression name: (identifier) @variable)
((variable_expression name: (identifier) @constant.builtin) (#eq? @constant.builtin "null"))
((variable_expression name: (identifier) @boolean) (#any-of? @boolean "true" "false"))
((variable_expression name: (identifier) @variable.builtin) (#any-of? @variable.builtin "builtins" "self" "super"))
(attrpath (identifier) @property)
(inherited_attrs (identifier) @property)
(select_expression attrpath: (attrpath (identifier) @property))
(binding attrpath: (attrpath (identifier) @function .) expression: (function_expression))
(apply_expression function: (variable_expression name: (identifier) @function))
(apply_expression function: (select_expression attrpath: (attrpath attr: (identifier) @function .)))
((variable_expression name: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "import" "map" "abort" "throw" "toString" "isNull" "baseNameOf" "dirOf" "removeAttrs" "derivation" "fetchTarball"
    "fetchGit" "fetchurl" "placeholder" "scopedImport"))
(function_expression universal: (identifier) @variable.parameter)
(formal name: (identifier) @variable.parameter)
(ellipses) @punctuation

(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^/[*][*][^/]"))
[(string_expression) (indented_string_expression)] @string
[(path_expression) (hpath_expression) (spath_expression) (uri_expression)] @string.special
(escape_sequence) @escape
(dollar_escape) @escape
(interpolation) @embedded
(interpolation ["${" "}"] @punctuation)
[(integer_expression) (float_expression)] @number

["if" "then" "else" "let" "in" "inherit" "rec" "with" "assert" "or"] @keyword
[
  "==" "!=" "<" "<=" ">" ">=" "&&" "||" "+" "-" "*" "/" "->" "//" "++" "!" "?" "=" "@"
] @operator
["(" ")" "[" "]" "{" "}" ";" ":" "," "."] @punctuation
