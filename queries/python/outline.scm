(class_definition name: (identifier) @name superclasses: (argument_list)? @detail) @item.class

(function_definition name: (identifier) @name parameters: (parameters) @detail) @item.function

; Module constants and class attributes.
(module (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.variable))
(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.field)))
(type_alias_statement left: (type (identifier) @name)) @item.type
; Module members defined under a condition or in a loop.
(module [
  (if_statement consequence: (block (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.variable)))
  (if_statement alternative: (_ [consequence: (block (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.variable)) body: (block (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.variable))]))
  (try_statement body: (block (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.variable)))
  (try_statement (except_clause (block (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.variable))))
  (with_statement body: (block (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.variable)))
])
