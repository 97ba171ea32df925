; Name resolution for C. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both.

(translation_unit (#set! preprocessor "c")) @scope.file
(preproc_include path: (_) @path) @include

; Macros
(preproc_def name: (_) @name value: (_) @macro_body (#set! namespace "any") (#set! visible "file")) @define.macro
(preproc_function_def name: (_) @name parameters: (_) @skip value: (_) @skip (#set! namespace "any") (#set! visible "file")) @define.macro
(preproc_params) @skip
(preproc_arg) @skip
(preproc_call) @skip
(preproc_if condition: (_) @value alternative: (_) @alternative) @conditional
(preproc_ifdef name: (_) @value alternative: (_) @alternative) @conditional
(preproc_elif condition: (_) @value alternative: (_) @alternative) @conditional
(preproc_elifdef name: (_) @value alternative: (_) @alternative) @conditional
(preproc_else) @conditional
(preproc_defined) @group

; Definitions
(function_definition (type_qualifier) @modifiers type: (_) @type declarator: (_) @declarator body: (_) @body (storage_class_specifier) @modifiers
  (#set! scope "function")) @define.function
(declaration (storage_class_specifier) @modifiers (type_qualifier) @modifiers type: (_) @type declarator: (_) @pattern
  (#set! visible "here")) @bind.variable
(field_declaration (storage_class_specifier) @modifiers (type_qualifier) @modifiers type: (_) @type declarator: (_) @pattern) @bind.field
(parameter_declaration (type_qualifier) @modifiers type: (_) @type declarator: (_) @pattern) @bind.parameter
(variadic_parameter (#set! flags "variadic")) @bind.parameter
(type_definition type: (_) @type declarator: (_) @pattern (#set! namespace "value type")) @bind.type
(init_declarator declarator: (_) @pattern value: (_) @value) @bind.variable
(storage_class_specifier (#set! file_local "static") (#set! static "static") (#set! declared "extern")) @modifier
(struct_specifier name: (_) @name body: (_) @body (#set! scope "members") (#set! namespace "tag") (#set! visible "tag") (#set! flags "needs_body")) @define.struct
(union_specifier name: (_) @name body: (_) @body (#set! scope "members") (#set! namespace "tag") (#set! visible "tag") (#set! flags "needs_body")) @define.struct
(enum_specifier name: (_) @name body: (_) @body (#set! scope "enum") (#set! namespace "tag") (#set! visible "tag") (#set! flags "needs_body")) @define.enum
(enumerator name: (_) @name value: (_) @value (#set! visible "outer")) @define.enum_member

; Declarators
(function_declarator declarator: (_) @declared parameters: (_) @parameters (type_qualifier) @modifiers) @declarator
(pointer_declarator (#set! flags "pointer")) @rest
(array_declarator declarator: (_) @same size: (_) @value) @group
(parenthesized_declarator) @pass
(attributed_declarator) @pass
(abstract_function_declarator parameters: (_) @parameters) @declarator
(abstract_pointer_declarator) @pass
(type_qualifier (#set! const "const")) @skip
(parameter_list) @pass
(type_descriptor type: (_) @first declarator: (_) @skip) @group

; Scopes
(compound_statement) @scope.block
(for_statement) @scope.block
(if_statement) @scope.block
(while_statement) @scope.block
(switch_statement) @scope.block

; Expressions
(identifier) @name
(field_identifier) @name
(type_identifier) @name.as_type
(statement_identifier) @name.label
(labeled_statement label: (_) @pattern (#set! visible "function")) @bind.label
(field_expression argument: (_) @object field: (_) @member) @member
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(argument_list) @list
(subscript_expression argument: (_) @object index: (_) @value) @index
(pointer_expression argument: (_) @value) @group
(cast_expression type: (_) @type value: (_) @value) @cast
(sizeof_expression value: (_) @value type: (_) @target) @opaque
(offsetof_expression type: (_) @type_object member: (_) @member) @member
(parenthesized_expression) @group
(conditional_expression condition: (_) @first consequence: (_) @item alternative: (_) @item) @choice
(assignment_expression left: (_) @first right: (_) @value) @group
(binary_expression left: (_) @first right: (_) @value) @opaque
(unary_expression) @opaque
(compound_literal_expression type: (_) @target value: (_) @body) @construct
(initializer_list) @initializer
(initializer_pair designator: (field_designator) @key designator: (_) @value value: (_) @value) @pair
(field_designator) @pass
(return_statement) @return
(comma_expression left: (_) @first right: (_) @value) @group

(primitive_type) @literal.primitive
(sized_type_specifier) @literal.primitive
(string_literal) @literal.text
(concatenated_string) @literal.text
(char_literal) @literal.numeral
(number_literal) @literal.numeral
(true) @literal.boolean
(false) @literal.boolean
(null) @literal.nothing
(comment) @skip
