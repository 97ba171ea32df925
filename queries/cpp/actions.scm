; Operators may be overloaded for one order of operand types only, so nothing is flipped.
((initializer_list) @list (#set! list.comma "may") (#set! list.sort "values"))
((enumerator_list) @list (#set! list.comma "may") (#set! list.pad))
[(argument_list) (parameter_list)] @list

((compound_statement) @body (#set! wrap.block "{|}") (#set! wrap.if "if (true) {|}")
  (#set! wrap.try "try {|} catch (...) {\n\tthrow;\n}"))
(field_declaration_list) @body
[
  (declaration) (type_definition) (alias_declaration) (using_declaration) (class_specifier)
  (struct_specifier) (enum_specifier) (union_specifier) (namespace_alias_definition)
] @declares
(declaration declarator: (identifier) @declares.name)
(declaration declarator: (init_declarator declarator: (identifier) @declares.name))
[(labeled_statement) (case_statement) (preproc_if) (preproc_ifdef) (preproc_def) (preproc_call)] @fixed

; Declarations in a body determine when destructors run, so only conditions are unwrapped.
(if_statement condition: (condition_clause value: (_)) consequence: (_) @inside !alternative) @unwrap
((while_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((do_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((for_statement initializer: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
((for_range_loop declarator: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
[(break_statement) (continue_statement)] @jump
