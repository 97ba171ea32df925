[(value_name) (value_pattern)] @variable
(parameter pattern: (value_pattern) @variable.parameter)
(parameter (label_name) @label)
(label_name) @label
(let_binding pattern: (value_name) @function (parameter))
(let_binding pattern: (value_name) @function body: [(fun_expression) (function_expression)])
(value_specification (value_name) @function)
(external (value_name) @function)
(application_expression function: (value_path (value_name) @function))
(method_name) @function.method
((value_name) @function.builtin (#any-of? @function.builtin "raise" "raise_notrace" "failwith" "invalid_arg" "ignore" "ref"))

[(module_name) (module_type_name)] @namespace
[(constructor_name) (tag)] @constant.member
(exception_definition (constructor_declaration (constructor_name) @type))
(type_constructor) @type
((type_constructor) @type.builtin
  (#any-of? @type.builtin
    "int" "char" "bytes" "string" "float" "bool" "unit" "exn" "array" "list" "option" "int32" "int64" "nativeint" "format6" "lazy_t" "result"))
(type_variable) @type.parameter
[(class_name) (class_type_name)] @type.class
[(field_name) (instance_variable_name)] @property
(attribute_id) @attribute
["[@" "[@@" "[@@@" "[%" "[%%" "{%" "{%%"] @attribute

(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^[(][*][*][^*]"))
(directive) @keyword
(line_number_directive) @comment

[(string) (quoted_string) (character)] @string
(escape_sequence) @escape
(conversion_specification) @escape
[(number) (signed_number)] @number
(boolean) @boolean
(unit) @constant.builtin

[
  "and" "as" "assert" "begin" "class" "constraint" "do" "done" "downto" "effect" "else" "end" "exception" "external" "for" "fun"
  "function" "functor" "if" "in" "include" "inherit" "initializer" "lazy" "let" "match" "method" "module" "mutable" "new"
  "nonrec" "object" "of" "open" "private" "rec" "sig" "struct" "then" "to" "try" "type" "val" "virtual" "when" "while" "with"
] @keyword
[(match_operator) (let_operator) (let_and_operator)] @keyword
[
  (prefix_operator) (sign_operator) (hash_operator) (pow_operator) (mult_operator) (add_operator) (concat_operator)
  (rel_operator) (and_operator) (or_operator) (assign_operator) (indexing_operator)
] @operator
["=" "->" "<-" ":=" ":>" "::" "|" "*" "!" "~" "?" "+" "-" "#"] @operator
["(" ")" "[" "]" "{" "}" "[|" "|]" "[<" "[>" "{<" ">}" "," "." ";" ":" ";;" ".."] @punctuation
