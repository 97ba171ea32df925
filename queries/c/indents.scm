[
  (if_statement)
  (else_clause)
  (for_statement)
  (while_statement)
  (do_statement)
  (case_statement)
  (labeled_statement)
] @indent
[
  (initializer_list)
  (parameter_list)
  (argument_list)
  (parenthesized_expression)
  (expression_statement)
  (declaration)
  (init_declarator)
  (field_declaration)
  (return_statement)
  (assignment_expression)
  (conditional_expression)
  (preproc_params)
] @continue
([(binary_expression) (concatenated_string)] @continue (#set! flat))
(for_statement initializer: (_) @continue.item)
(for_statement condition: (_) @continue.item)
(for_statement update: (_) @continue.item)
((comment) . (comment) @beside)
[
  (compound_statement)
  (field_declaration_list)
  (enumerator_list)
] @indent.body
; A standalone block.
(compound_statement (compound_statement) @indent)
; Many files do not indent the cases.
((switch_statement body: (compound_statement) @indent) (#set! flat))
["}" ")" "]" "else"] @outdent
(do_statement "while" @outdent)
(if_statement consequence: (compound_statement "{" @outdent))
(else_clause (compound_statement "{" @outdent))
(for_statement body: (compound_statement "{" @outdent))
(while_statement body: (compound_statement "{" @outdent))
(do_statement body: (compound_statement "{" @outdent))
(case_statement (compound_statement "{" @outdent))
(labeled_statement label: (statement_identifier) @outdent)
[
  "#define" "#elif" "#elifdef" "#elifndef" "#else" "#endif" "#if" "#ifdef" "#ifndef" "#include"
  (preproc_directive)
] @margin
[(comment) (preproc_def) (preproc_function_def) (string_literal)] @leave
