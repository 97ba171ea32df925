[
  (compound_statement) (if_statement) (case_item) (for_statement) (c_style_for_statement)
  (while_statement) (do_group) (subshell) (array) (command_substitution)
] @indent
; Many files do not indent the arms.
((case_statement) @indent (#set! flat))
; A command with continuation lines.
[(command) (declaration_command) (test_command)] @continue
; The next pattern of several.
([
  (list (_) (_) @continue.item)
  (list ["&&" "||"] @continue.item)
  (pipeline ["|" "|&"] . (_) @continue.item)
  (pipeline ["|" "|&"] @continue.item)
] (#set! flat))
["}" ")" "))" "fi" "done" "esac" "else" "elif" "then" "do"] @outdent
[(heredoc_redirect) (heredoc_body) (string) (raw_string) (ansi_c_string)] @leave
; Blocks of Bats, which are not shell syntax.
((program (command name: (command_name) @_name)) @leave (#eq? @_name "@test"))
((comment) . (comment) @beside)
