; Operators may be overloaded for one order of operand types only, so nothing is flipped.
((initializer_expression) @list (#set! list.comma "may") (#set! list.pad) (#set! list.sort "values"))
((collection_expression) @list (#set! list.comma "may") (#set! list.sort "values"))
((enum_member_declaration_list) @list (#set! list.comma "may") (#set! list.pad))
[(argument_list) (bracketed_argument_list) (parameter_list) (attribute_argument_list) (tuple_expression)] @list

((block) @body
  (#set! wrap.block "{|}")
  (#set! wrap.if "if (true)\n{|}")
  (#set! wrap.try "try\n{|}\ncatch\n{\n\tthrow;\n}"))
[(declaration_list) (switch_body) (accessor_list)] @body
[(local_declaration_statement) (local_function_statement)] @declares
(local_declaration_statement
  (variable_declaration (variable_declarator name: (identifier) @declares.name)))
[(labeled_statement) (yield_statement)] @fixed

(if_statement consequence: (_) @inside !alternative) @unwrap
((while_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((foreach_statement left: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
((try_statement body: (_) @inside) @unwrap (#set! unwrap.loses "what handles errors"))
(block (block) @inside @unwrap)
[(break_statement) (continue_statement)] @jump

(using_directive) @import
