; Identifiers, the most general patterns first: later patterns win.
(identifier) @variable
((identifier) @constructor (#match? @constructor "^[A-Z]"))
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(field_identifier) @property
(shorthand_field_identifier) @variable
(type_identifier) @type
(primitive_type) @type.builtin
((type_identifier) @type.builtin (#eq? @type.builtin "Self"))
(lifetime) @label
(label) @label
(metavariable) @variable.parameter
(fragment_specifier) @type.builtin
[(self) (super) (crate)] @variable.builtin

; Paths.
(scoped_identifier path: (identifier) @namespace)
(scoped_identifier path: (identifier) @type (#match? @type "^[A-Z]"))
(scoped_identifier path: (scoped_identifier name: (identifier) @namespace))
(scoped_identifier
  path: (scoped_identifier name: (identifier) @type)
  (#match? @type "^[A-Z]"))
(scoped_type_identifier path: (identifier) @namespace)
(scoped_type_identifier path: (identifier) @type (#match? @type "^[A-Z]"))
(scoped_type_identifier path: (scoped_identifier name: (identifier) @namespace))
(scoped_use_list path: (identifier) @namespace)
(scoped_use_list path: (scoped_identifier name: (identifier) @namespace))
(use_wildcard (identifier) @namespace)
(use_wildcard (scoped_identifier name: (identifier) @namespace))
(use_list (identifier) @type (#match? @type "^[A-Z].*[a-z]"))
(use_declaration argument: (scoped_identifier name: (identifier) @type)
  (#match? @type "^[A-Z].*[a-z]"))
(use_list (scoped_identifier name: (identifier) @type (#match? @type "^[A-Z].*[a-z]")))
(use_as_clause path: (identifier) @type (#match? @type "^[A-Z].*[a-z]"))
(use_as_clause path: (scoped_identifier name: (identifier) @type)
  (#match? @type "^[A-Z].*[a-z]"))
(use_as_clause alias: (identifier) @type (#match? @type "^[A-Z].*[a-z]"))
(mod_item name: (identifier) @namespace)
(extern_crate_declaration name: (identifier) @namespace)

; Declarations.
(struct_item name: (type_identifier) @type.struct)
(union_item name: (type_identifier) @type.struct)
(enum_item name: (type_identifier) @type.enum)
(trait_item name: (type_identifier) @type.interface)
(impl_item trait: (type_identifier) @type.interface)
(impl_item trait: (generic_type type: (type_identifier) @type.interface))
(impl_item trait: (scoped_type_identifier name: (type_identifier) @type.interface))
(trait_bounds (type_identifier) @type.interface)
(dynamic_type trait: (type_identifier) @type.interface)
(abstract_type trait: (type_identifier) @type.interface)
(type_parameter name: (type_identifier) @type.parameter)
(const_parameter name: (identifier) @constant)
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)
(enum_variant name: (identifier) @constant.member)
(parameter pattern: (identifier) @variable.parameter)
(parameter pattern: (mut_pattern (identifier) @variable.parameter))
(parameter pattern: (ref_pattern (identifier) @variable.parameter))
(parameter pattern: (reference_pattern (identifier) @variable.parameter))
(parameter pattern: (tuple_pattern (identifier) @variable.parameter))
(closure_parameters (identifier) @variable.parameter)
(closure_parameters (mut_pattern (identifier) @variable.parameter))
(closure_parameters (reference_pattern (identifier) @variable.parameter))
(closure_parameters (tuple_pattern (identifier) @variable.parameter))
(function_item name: (identifier) @function)
(function_signature_item name: (identifier) @function)
(impl_item body: (declaration_list (function_item name: (identifier) @function.method)))
(trait_item body: (declaration_list
  [(function_item name: (identifier) @function.method)
   (function_signature_item name: (identifier) @function.method)]))
(macro_definition name: (identifier) @function.macro)

; Calls.
(call_expression function: (identifier) @function)
(call_expression function: (identifier) @constructor (#match? @constructor "^[A-Z]"))
(call_expression function: (scoped_identifier name: (identifier) @function))
(call_expression function: (scoped_identifier name: (identifier) @constructor)
  (#match? @constructor "^[A-Z]"))
(call_expression function: (field_expression field: (field_identifier) @function.method))
(generic_function function: (identifier) @function)
(generic_function function: (scoped_identifier name: (identifier) @function))
(generic_function function: (field_expression field: (field_identifier) @function.method))
(macro_invocation macro: (identifier) @function.macro)
(macro_invocation macro: (scoped_identifier name: (identifier) @function.macro))
; Macro arguments are plain tokens: a name before a parenthesis is a call.
(token_tree (identifier) @function . (token_tree "("))
(token_tree (identifier) @constructor . (token_tree "(") (#match? @constructor "^[A-Z]"))
(token_tree (identifier) @function.macro . "!" . (token_tree))
(token_tree "." . (identifier) @property)
(token_tree "." . (identifier) @function.method . (token_tree "("))

; Attributes.
(attribute (identifier) @attribute)
(attribute (scoped_identifier name: (identifier) @attribute))
(attribute arguments: (token_tree (identifier) @attribute))
(attribute (identifier) @_derive arguments: (token_tree (identifier) @type.interface)
  (#eq? @_derive "derive"))
(shebang) @comment

; Literals.
[(integer_literal) (float_literal)] @number
(field_expression field: (integer_literal) @property)
(boolean_literal) @boolean
[(string_literal) (raw_string_literal) (char_literal)] @string
(escape_sequence) @escape
[(line_comment) (block_comment)] @comment
(line_comment doc: (_)) @comment.documentation
(block_comment doc: (_)) @comment.documentation

; Tokens.
[
  "as" "async" "await" "break" "const" "continue" "default" "dyn" "else" "enum" "extern" "fn" "for"
  "gen" "if" "impl" "in" "let" "loop" "macro_rules!" "match" "mod" "move" "pub" "raw" "ref" "return"
  "static" "struct" "trait" "try" "type" "union" "unsafe" "use" "where" "while" "yield"
  (mutable_specifier)
] @keyword
(use_list (self) @keyword)
(visibility_modifier [(crate) (super) (self)] @keyword)
[
  "!" "!=" "%" "%=" "&" "&&" "&=" "*" "*=" "+" "+=" "-" "-=" "->" ".." "..." "..=" "/" "/=" "<<"
  "<<=" "=" "==" "=>" ">=" ">>" ">>=" "?" "@" "^" "^=" "|" "|=" "||" "<="
] @operator
(binary_expression ["<" ">"] @operator)
["(" ")" "[" "]" "{" "}" "," ";" ":" "::" "."] @punctuation
(type_arguments ["<" ">"] @punctuation)
(type_parameters ["<" ">"] @punctuation)
(closure_parameters "|" @punctuation)
(bracketed_type ["<" ">"] @punctuation)
(for_lifetimes ["<" ">"] @punctuation)
(lifetime ["'" (identifier)] @label)
(label ["'" (identifier)] @label)
(outer_doc_comment_marker "/" @comment.documentation)
(inner_doc_comment_marker "!" @comment.documentation)
(macro_invocation "!" @function.macro)
(attribute_item ["#" "[" "]"] @attribute)
(inner_attribute_item ["#" "!" "[" "]"] @attribute)
(remaining_field_pattern ".." @punctuation)
(token_tree "!" @function.macro . (token_tree))
