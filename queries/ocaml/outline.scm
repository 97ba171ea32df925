; inherits: ocaml_interface
; Values of the file and of its modules, not local ones.
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @item.variable))
(structure (value_definition (let_binding pattern: (value_name) @name) @item.variable))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name (parameter)) @item.function))
(structure (value_definition (let_binding pattern: (value_name) @name (parameter)) @item.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @item.function))
(structure (value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @item.function))
; Operators.
(compilation_unit (value_definition (let_binding pattern: (parenthesized_operator) @name) @item.function))
(structure (value_definition (let_binding pattern: (parenthesized_operator) @name) @item.function))
