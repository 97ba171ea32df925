[
  (declaration_list)
  (enum_declaration_list)
  (compound_statement)
  (switch_block)
  (match_block)
  (case_statement)
  (default_statement)
  (colon_block)
  (array_creation_expression)
  (arguments)
  (formal_parameters)
  (namespace_use_group)
  (property_hook_list)
  (use_list)
  (parenthesized_expression)
  (list_literal)
  (attribute_group)
  (anonymous_function_use_clause)
] @indent
; Method chains and continuation lines.
(member_call_expression) @indent
(nullsafe_member_call_expression) @indent
(return_statement) @indent
(echo_statement) @indent
(assignment_expression) @indent
(conditional_expression) @indent
(array_element_initializer "=>") @indent
(argument (binary_expression)) @indent
(match_conditional_expression) @indent
(class_declaration (class_interface_clause) @indent)
(property_element) @indent
(const_declaration) @indent

["}" ")" "]" "endif" "endwhile" "endfor" "endforeach" "endswitch" "enddeclare"] @outdent
(if_statement (colon_block) (else_clause "else" @outdent))
(if_statement (colon_block) (else_if_clause "elseif" @outdent))
[(heredoc) (nowdoc) (string) (encapsed_string) (comment) (text) (text_interpolation) (shell_command_expression)] @leave
