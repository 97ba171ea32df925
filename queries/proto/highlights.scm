(comment) @comment
[(string) (reserved_identifier)] @string
(escape_sequence) @escape
[(int_lit) (float_lit)] @number
(bool) @boolean
(package (full_ident) @namespace)
(message_name) @type.struct
(enum_name) @type.enum
(service_name) @type.interface
(rpc_name) @function.method
(message_or_enum_type) @type
(extend (full_ident) @type)
(type) @type.builtin
(type (message_or_enum_type) @type)
(key_type) @type.builtin
(enum_field . (identifier) @constant.member)
(field (identifier) @property)
(oneof_field (identifier) @property)
(map_field (identifier) @property)
(oneof (identifier) @property)
(option (identifier) @attribute)
(option (full_ident) @attribute)
(field_option (identifier) @attribute)
(field_option (full_ident) @attribute)
(enum_value_option (identifier) @attribute)
(enum_value_option (full_ident) @attribute)
(block_lit (identifier) @property)
(constant (full_ident) @constant)
[
  "edition" "enum" "export" "extend" "extensions" "group" "import" "local" "map" "max" "message" "oneof" "option" "optional"
  "package" "public" "repeated" "required" "reserved" "returns" "rpc" "service" "stream" "syntax" "to" "weak"
] @keyword
["=" "-" "+"] @operator
["(" ")" "[" "]" "{" "}" "<" ">" "," ";" "." ":"] @punctuation
