; Identifiers, the most general patterns first: later patterns win.
(identifier) @variable
(attribute attribute: (identifier) @property)
(keyword_argument name: (identifier) @variable.parameter)
((identifier) @type (#match? @type "^_?[A-Z]"))
((identifier) @constant (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
((identifier) @variable.builtin (#match? @variable.builtin "^(self|cls)$"))
((identifier) @variable.builtin
  (#match? @variable.builtin "^__(name|file|doc|all|version|author|package|path|spec|dict|class|builtins)__$"))

; Types.
(type (identifier) @type)
(type (subscript value: (identifier) @type))
(type (subscript subscript: (identifier) @type))
(type (attribute attribute: (identifier) @type))
(type (binary_operator (identifier) @type))
(generic_type (identifier) @type)
(type_parameter (type (identifier) @type))
(class_definition name: (identifier) @type.class)
(class_definition superclasses: (argument_list (identifier) @type.class))
(class_definition type_parameters: (type_parameter (type (identifier) @type.parameter)))
(function_definition type_parameters: (type_parameter (type (identifier) @type.parameter)))
(type_alias_statement left: (type (identifier) @type))
((identifier) @type.builtin
  (#any-of? @type.builtin
    "bool" "bytearray" "bytes" "complex" "dict" "float" "frozenset" "int" "list" "memoryview"
    "object" "range" "set" "slice" "str" "tuple" "type"))
; An attribute of that name is no builtin.
(attribute attribute: (identifier) @property)
(attribute attribute: (identifier) @type (#match? @type "^_?[A-Z].*[a-z]"))
(attribute attribute: (identifier) @constant (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
(type (attribute attribute: (identifier) @type))
(keyword_argument name: (identifier) @variable.parameter)

; Parameters.
(parameters (identifier) @variable.parameter)
(parameters (default_parameter name: (identifier) @variable.parameter))
(typed_parameter (identifier) @variable.parameter)
(typed_default_parameter name: (identifier) @variable.parameter)
(parameters (list_splat_pattern (identifier) @variable.parameter))
(parameters (dictionary_splat_pattern (identifier) @variable.parameter))
(typed_parameter (list_splat_pattern (identifier) @variable.parameter))
(typed_parameter (dictionary_splat_pattern (identifier) @variable.parameter))
(lambda_parameters (identifier) @variable.parameter)
(lambda_parameters (default_parameter name: (identifier) @variable.parameter))
(lambda_parameters (list_splat_pattern (identifier) @variable.parameter))
(lambda_parameters (dictionary_splat_pattern (identifier) @variable.parameter))
(parameters . (identifier) @variable.builtin (#match? @variable.builtin "^(self|cls)$"))

; Functions.
(function_definition name: (identifier) @function)
(class_definition body: (block (function_definition name: (identifier) @function.method)))
(class_definition
  body: (block (decorated_definition
    definition: (function_definition name: (identifier) @function.method))))
(call function: (identifier) @function)
(call function: (identifier) @constructor (#match? @constructor "^_?[A-Z]"))
(call function: (attribute attribute: (identifier) @function.method))
(call function: (attribute attribute: (identifier) @constructor)
  (#match? @constructor "^_?[A-Z].*[a-z]"))
(call function: (identifier) @function.builtin
  (#any-of? @function.builtin
    "__import__" "abs" "aiter" "all" "anext" "any" "ascii" "bin" "breakpoint" "callable" "chr"
    "classmethod" "compile" "delattr" "dir" "divmod" "enumerate" "eval" "exec" "filter" "format"
    "getattr" "globals" "hasattr" "hash" "help" "hex" "id" "input" "isinstance" "issubclass" "iter"
    "len" "locals" "map" "max" "min" "next" "oct" "open" "ord" "pow" "print" "property" "repr"
    "reversed" "round" "setattr" "sorted" "staticmethod" "sum" "super" "vars" "zip"))
(call function: (identifier) @type.builtin
  (#any-of? @type.builtin
    "bool" "bytearray" "bytes" "complex" "dict" "float" "frozenset" "int" "list" "memoryview"
    "object" "range" "set" "slice" "str" "tuple" "type"))

; Modules.
(import_statement name: (dotted_name (identifier) @namespace))
(import_statement name: (aliased_import name: (dotted_name (identifier) @namespace)))
(import_statement name: (aliased_import alias: (identifier) @namespace))
(future_import_statement "__future__" @namespace)
(import_from_statement name: (dotted_name (identifier) @type.class)
  (#match? @type.class "^_?[A-Z].*[a-z]"))
(import_from_statement
  name: (aliased_import name: (dotted_name (identifier) @type.class))
  (#match? @type.class "^_?[A-Z].*[a-z]"))
(import_from_statement name: (aliased_import alias: (identifier) @type.class)
  (#match? @type.class "^_?[A-Z].*[a-z]"))
(import_from_statement module_name: (dotted_name (identifier) @namespace))
(import_from_statement module_name: (relative_import (dotted_name (identifier) @namespace)))

; Decorators.
(decorator (identifier) @attribute)
(decorator (attribute attribute: (identifier) @attribute))
(decorator (call function: (identifier) @attribute))
(decorator (call function: (attribute attribute: (identifier) @attribute)))

; Literals.
[(integer) (float)] @number
[(true) (false)] @boolean
[(none) (ellipsis)] @constant.builtin
(string) @string
[(escape_sequence) (escape_interpolation)] @escape
(interpolation) @embedded
(interpolation ["{" "}"] @punctuation)
(type_conversion) @operator
(comment) @comment
(module . (comment)* . (expression_statement (string) @comment.documentation))
(class_definition
  body: (block . (comment)* . (expression_statement (string) @comment.documentation)))
(function_definition
  body: (block . (comment)* . (expression_statement (string) @comment.documentation)))

; Tokens.
[
  "as" "assert" "async" "await" "break" "class" "continue" "def" "del" "elif" "else" "except" "exec"
  "finally" "for" "from" "global" "if" "import" "lambda" "nonlocal" "pass" "print" "raise" "return"
  "try" "while" "with" "yield"
] @keyword
(match_statement "match" @keyword)
(case_clause "case" @keyword)
(type_alias_statement "type" @keyword)
["and" "in" "is" "not" "or"] @keyword.operator
(for_statement "in" @keyword)
(for_in_clause "in" @keyword)
[
  "!=" "%" "%=" "&" "&=" "*" "**" "**=" "*=" "+" "+=" "-" "-=" "->" "/" "//" "//=" "/=" ":=" "<"
  "<<" "<<=" "<=" "<>" "=" "==" ">" ">=" ">>" ">>=" "@" "@=" "^" "^=" "|" "|=" "~"
] @operator
["(" ")" "[" "]" "{" "}" "," ":" "." ";"] @punctuation
(line_continuation) @punctuation
(decorator "@" @attribute)
(case_pattern "_" @variable.builtin)
