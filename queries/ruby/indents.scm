[
  (method)
  (singleton_method)
  (class)
  (singleton_class)
  (module)
  (if)
  (unless)
  (case)
  (case_match)
  (when)
  (in_clause)
  (while)
  (until)
  (for)
  (begin)
  (do_block)
  (block)
  (array)
  (hash)
  (argument_list)
  (method_parameters)
  (block_parameters)
  (parenthesized_statements)
  (string_array)
  (symbol_array)
  (begin_block)
  (end_block)
  (element_reference)
] @indent
; Method chains.
(call "." @_dot) @indent

["end" "}" ")" "]" "elsif" "else" "rescue" "ensure" "when"] @outdent
(in_clause "in" @outdent)
[(heredoc_body) (string) (chained_string) (comment) (regex) (subshell) (uninterpreted) (heredoc_end)] @leave
