[
  (compound_statement) (if_statement) (case_statement) (case_item) (do_group) (subshell) (array)
  (command_substitution)
] @indent
; A command that goes on.
[(command) (pipeline) (list) (test_command)] @indent
["}" ")" "))" "fi" "done" "esac" "else" "elif" "then" "do"] @outdent
[(heredoc_redirect) (heredoc_body) (string) (raw_string) (ansi_c_string)] @leave
