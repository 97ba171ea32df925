(comment) @comment

(word) @string
(text) @string
(raw_text) @string
(targets (word) @function)
(pattern_list (word) @function)
((word) @keyword (#match? @keyword "^\\.[A-Z_]+$"))
(prerequisites (word) @string)

(variable_assignment name: (word) @variable)
(shell_assignment name: (word) @variable)
(define_directive name: (word) @function.macro)
(export_directive variables: (list (word) @variable))
(unexport_directive variables: (list (word) @variable))
(undefine_directive variable: (word) @variable)
(ifdef_directive variable: (word) @variable)
(ifndef_directive variable: (word) @variable)
(variable_reference (word) @variable)
(substitution_reference text: (word) @variable)
(function_call
  function: "call"
  (arguments . argument: (text) @function))

(automatic_variable) @variable.builtin
(escape) @escape
(string) @string
["VPATH" ".RECIPEPREFIX"] @variable.builtin

(function_call function: _ @function.builtin)
(shell_function function: _ @function.builtin)
[
  "define" "else" "endef" "endif" "export" "ifdef" "ifeq" "ifndef" "ifneq" "include" "-include"
  "override" "private" "sinclude" "undefine" "unexport" "vpath"
] @keyword
["!=" "+=" "::=" ":=" "=" "?="] @operator
(recipe_line ["@" "-" "+"] @operator)
[":" "::" "&:" "|" "(" ")" "{" "}" "," "$" "$$" ";"] @punctuation
