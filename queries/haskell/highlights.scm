(comment) @comment
(haddock) @comment.documentation
(pragma) @attribute
(cpp) @function.macro

; Identifiers, the most general patterns first.
(variable) @variable
(name) @type
((name) @type.builtin
  (#any-of? @type.builtin
    "Bool" "Char" "Double" "Either" "Float" "FilePath" "IO" "Int" "Integer" "Maybe" "Ordering"
    "Rational" "String" "Word"))
(constructor) @constructor
((constructor) @boolean (#any-of? @boolean "True" "False"))
(module_id) @namespace
(type_params (variable) @type.parameter)
(type_params bind: (variable) @type.parameter)
(quantified_variables (variable) @type.parameter)
(field_name (variable) @property)
(patterns (variable) @variable.parameter)
(implicit_variable) @variable.parameter
((variable) @variable.builtin (#any-of? @variable.builtin "undefined" "otherwise"))
((variable) @function.builtin (#any-of? @function.builtin "error" "errorWithoutStackTrace"))
(wildcard) @variable.builtin

; Calls and declarations.
(apply function: (variable) @function)
(apply function: (qualified id: (variable) @function))
(signature name: (variable) @function)
(function name: (variable) @function)
(bind name: (variable) @variable)
(declarations (bind name: (variable) @function))
(export variable: (variable) @function)
(import_name variable: (variable) @function)
(infix_id (variable) @function)

; Literals.
[(string) (char) (quasiquote_body)] @string
[(integer) (float)] @number
(quoter) @function.macro
(label) @label

; Keywords.
[
  "anyclass" "as" "case" "class" "data" "default" "deriving" "do" "else" "export" "family" "forall"
  "foreign" "hiding" "if" "import" "in" "infix" "infixl" "infixr" "instance" "let" "mdo" "module"
  "newtype" "of" "pattern" "qualified" "rec" "stock" "then" "type" "via" "where"
] @keyword
[(operator) (constructor_operator)] @operator
["->" "=>" "<-" "=" "|" "\\" "::" ".." "@" "!" "~" "*" "-" "`"] @operator
["(" ")" "[" "]" "{" "}" "," ";" "."] @punctuation
