(comment) @comment

; Keywords.
(word) @string
(extglob_pattern) @string
((word) @attribute (#match? @attribute "^--?[A-Za-z]"))
(command_name (word) @function)
(command_name
  (word) @function.builtin
  (#any-of? @function.builtin
    "." ":" "alias" "bg" "bind" "builtin" "caller" "cd" "command" "compgen" "complete" "compopt"
    "coproc" "dirs" "disown" "echo" "enable" "eval" "exec" "false" "fc" "fg" "getopts" "hash"
    "help" "history" "jobs" "kill" "let" "logout" "mapfile" "popd" "printf" "pushd" "pwd" "read"
    "readarray" "set" "shift" "shopt" "source" "suspend" "test" "time" "times" "trap" "true"
    "type" "ulimit" "umask" "unalias" "wait"))
(command_name
  (word) @keyword
  (#any-of? @keyword "break" "continue" "exit" "return"))
(function_definition name: (word) @function)
[
  "case" "declare" "do" "done" "elif" "else" "esac" "export" "fi" "for" "function" "if" "in"
  "local" "readonly" "select" "then" "typeset" "unset" "unsetenv" "until" "while"
] @keyword

; Strings and numbers.
[(string) (raw_string) (ansi_c_string) (translated_string) (heredoc_body)] @string
[(heredoc_start) (heredoc_end)] @label
(regex) @string.regexp
[(number) (file_descriptor)] @number

; Variables.
(variable_name) @variable
((variable_name) @constant (#match? @constant "^[A-Z][A-Z0-9_]*$"))
(special_variable_name) @variable.builtin
((simple_expansion (variable_name) @variable.parameter) (#match? @variable.parameter "^[0-9]+$"))

; Operators.
[
  "!" "!=" "%" "&" "&&" "&>" "&>>" "*" "**" "+" "++" "+=" "-" "--" "-=" "/" "<" "<&" "<<" "<<-"
  "<<<" "<=" "=" "==" "=~" ">" ">&" ">=" ">>" ">|" "?" "|" "|&" "||" "~"
] @operator
(test_operator) @operator
(expansion operator: _ @operator)
["(" ")" "((" "))" "[" "]" "[[" "]]" "{" "}" ";" ";;" ";&" ";;&" ","] @punctuation
["$" "${" "$(" "$((" "<(" ">(" "`" ".."] @punctuation
(expansion "}" @punctuation)
(command_substitution ")" @punctuation)
