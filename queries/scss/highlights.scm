[(comment) (js_comment)] @comment

; Selectors.
(identifier) @variable
(tag_name) @tag
[(universal_selector) (nesting_selector)] @tag
(class_selector (class_name) @type.class)
(id_selector (id_name) @constant)
(placeholder (identifier) @type.class)
(pseudo_class_selector (class_name) @attribute)
(pseudo_element_selector "::" (tag_name) @attribute)
(attribute_name) @tag.attribute
(namespace_name) @namespace

; Declarations.
[(property_name) (feature_name)] @property
((property_name) @variable (#match? @variable "^([$]|--)"))
(variable) @variable
(parameter (variable) @variable.parameter)
(argument name: (variable) @variable.parameter)
(plain_value) @constant.builtin
((plain_value) @variable (#match? @variable "^--"))
(keyword_query) @constant.builtin
(function_name) @function
(mixin_statement name: (identifier) @function)
(function_statement name: (identifier) @function)
(include_statement (identifier) @function)
[(integer_value) (float_value)] @number
(unit) @type
(color_value) @string.special
(string_value) @string
(important) @keyword
(keyframes_name) @function
(interpolation ["#{" "}"] @punctuation)

[
  "@at-root" "@charset" "@debug" "@each" "@else" "@error" "@extend" "@for" "@forward" "@function"
  "@if" "@import" "@include" "@keyframes" "@media" "@mixin" "@namespace" "@return" "@supports"
  "@use" "@warn" "@while" "and" "from" "if" "in" "not" "only" "or" "through"
] @keyword
[(at_keyword) (from) (to)] @keyword
["+" "-" "*" "/" "%" "=" "==" "!=" "<" "<=" ">" ">=" "^=" "$=" "*=" "|=" "~=" "~"] @operator
["{" "}" "(" ")" "[" "]" ";" "," ":" "::" "." "#"] @punctuation
(color_value "#" @string.special)
