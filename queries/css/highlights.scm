[(comment) (js_comment)] @comment

; Selectors.
(tag_name) @tag
[(universal_selector) (nesting_selector)] @tag
(class_selector (class_name) @type.class)
(id_selector (id_name) @constant)
(pseudo_class_selector (class_name) @attribute)
(pseudo_element_selector "::" (tag_name) @attribute)
(attribute_name) @tag.attribute
(namespace_name) @namespace

; Declarations.
[(property_name) (feature_name)] @property
((property_name) @variable (#match? @variable "^--"))
(plain_value) @constant.builtin
((plain_value) @variable (#match? @variable "^--"))
(keyword_query) @constant.builtin
(function_name) @function
[(integer_value) (float_value)] @number
(unit) @type
(color_value) @string.special
(string_value) @string
(escape_sequence) @escape
[(important) (important_value)] @keyword
(keyframes_name) @function

[
  "@charset" "@import" "@keyframes" "@media" "@namespace" "@scope" "@supports" "and" "not" "of"
  "only" "or" "selector"
] @keyword
[(at_keyword) (from) (to)] @keyword
["+" "-" "*" "/" "=" "^=" "$=" "*=" "|=" "~=" ">" "~" "|"] @operator
["{" "}" "(" ")" "[" "]" ";" "," ":" "::" "." "#"] @punctuation
(call_expression
  (function_name) @_url
  (arguments (plain_value) @string.special)
  (#eq? @_url "url"))
(color_value "#" @string.special)
