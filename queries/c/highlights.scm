; Identifiers, the most general patterns first: later patterns win.
(identifier) @variable
((identifier) @constant (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
(field_identifier) @property
(type_identifier) @type
[(primitive_type) (sized_type_specifier)] @type.builtin
((type_identifier) @type.builtin
  (#match? @type.builtin "^(u?int(_fast|_least)?(8|16|32|64)_t|u?intptr_t|u?intmax_t|s?size_t|ptrdiff_t|wchar_t|char(8|16|32)_t|va_list|FILE|off_t|time_t)$"))
(statement_identifier) @label
((identifier) @constant.builtin (#match? @constant.builtin "^__[A-Z_]+__$"))
((identifier) @variable.builtin (#match? @variable.builtin "^(__func__|__VA_ARGS__|stdin|stdout|stderr|errno)$"))

; Declarations.
(struct_specifier name: (type_identifier) @type.struct)
(union_specifier name: (type_identifier) @type.struct)
(enum_specifier name: (type_identifier) @type.enum)
(enumerator name: (identifier) @constant.member)
(parameter_declaration declarator: (identifier) @variable.parameter)
(parameter_declaration declarator: (pointer_declarator (identifier) @variable.parameter))
(parameter_declaration
  declarator: (pointer_declarator declarator: (pointer_declarator (identifier) @variable.parameter)))
(parameter_declaration declarator: (array_declarator declarator: (identifier) @variable.parameter))
(parameter_declaration
  declarator: (pointer_declarator
    declarator: (array_declarator declarator: (identifier) @variable.parameter)))
(function_declarator declarator: (identifier) @function)
(function_declarator declarator: (parenthesized_declarator (identifier) @function))

; Calls.
(call_expression function: (identifier) @function)
(call_expression function: (identifier) @function.macro (#match? @function.macro "^_*[A-Z][A-Z0-9_]+$"))
(call_expression function: (field_expression field: (field_identifier) @function.method))

; The preprocessor.
(preproc_def name: (identifier) @constant)
(preproc_function_def name: (identifier) @function.macro)
(preproc_params (identifier) @variable.parameter)
(preproc_ifdef name: (identifier) @constant)
(preproc_elifdef name: (identifier) @constant)
(preproc_defined (identifier) @constant)
[
  "#define" "#elif" "#elifdef" "#elifndef" "#else" "#endif" "#if" "#ifdef" "#ifndef" "#include"
  (preproc_directive)
] @keyword

; Attributes.
(attribute name: (identifier) @attribute)
(attribute prefix: (identifier) @attribute)
(attribute_specifier (argument_list (identifier) @attribute))
(attribute_specifier (argument_list (call_expression function: (identifier) @attribute)))
(ms_declspec_modifier (identifier) @attribute)
(ms_call_modifier) @keyword

; Literals.
(number_literal) @number
[(true) (false)] @boolean
(null) @constant.builtin
[(string_literal) (char_literal)] @string
(preproc_include path: (string_literal) @string.special)
(system_lib_string) @string.special
(escape_sequence) @escape
(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^(/\\*[*!][^*/]|//[/!][^/])"))

; Tokens.
[
  "_Alignas" "_Alignof" "_Atomic" "_Generic" "_Nonnull" "_Noreturn" "__alignof" "__alignof__" "__asm"
  "__asm__" "__attribute" "__attribute__" "__declspec" "__except" "__extension__" "__finally"
  "__forceinline" "__inline" "__inline__" "__leave" "__restrict__" "__thread" "__try" "__volatile__"
  "_alignof" "alignas" "alignof" "asm" "break" "case" "const" "constexpr" "continue" "default" "do"
  "else" "enum" "extern" "for" "goto" "if" "inline" "long" "noreturn" "offsetof" "register"
  "restrict" "return" "short" "signed" "sizeof" "static" "struct" "switch" "thread_local" "typedef"
  "union" "unsigned" "volatile" "while"
] @keyword
(sized_type_specifier ["long" "short" "signed" "unsigned"] @type.builtin)
(preproc_defined "defined" @keyword)
[
  "!" "!=" "%" "%=" "&" "&&" "&=" "*" "*=" "+" "++" "+=" "-" "--" "-=" "->" "..." "/" "/=" "<" "<<"
  "<<=" "<=" "=" "==" ">" ">=" ">>" ">>=" "?" "^" "^=" "|" "|=" "||" "~"
] @operator
["(" ")" "[" "]" "{" "}" "[[" "]]" "," "." ":" "::" ";"] @punctuation
