; inherits: ecmascript
(type_identifier) @type
[(predefined_type) (this_type)] @type.builtin
(nested_type_identifier module: (identifier) @namespace)
(nested_identifier object: (identifier) @namespace)
(nested_identifier property: (property_identifier) @namespace)
(class_declaration name: (type_identifier) @type.class)
(abstract_class_declaration name: (type_identifier) @type.class)
(class name: (type_identifier) @type.class)
(extends_clause value: (identifier) @type.class)
(interface_declaration name: (type_identifier) @type.interface)
(implements_clause (type_identifier) @type.interface)
(implements_clause (generic_type name: (type_identifier) @type.interface))
(enum_declaration name: (identifier) @type.enum)
(enum_body name: (property_identifier) @constant.member)
(enum_assignment name: (property_identifier) @constant.member)
(type_parameter name: (type_identifier) @type.parameter)
(mapped_type_clause name: (type_identifier) @type.parameter)
(infer_type (type_identifier) @type.parameter)
(internal_module name: (identifier) @namespace)
(module name: (identifier) @namespace)
(import_alias . (identifier) @namespace)
(required_parameter pattern: (identifier) @variable.parameter)
(required_parameter pattern: (rest_pattern (identifier) @variable.parameter))
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @variable.parameter))
(required_parameter
  pattern: (object_pattern
    (object_assignment_pattern
      left: (shorthand_property_identifier_pattern) @variable.parameter)))
(required_parameter pattern: (object_pattern (pair_pattern value: (identifier) @variable.parameter)))
(required_parameter pattern: (array_pattern (identifier) @variable.parameter))
(required_parameter pattern: (this) @variable.builtin)
(optional_parameter pattern: (identifier) @variable.parameter)
(index_signature name: (identifier) @variable.parameter)
(type_predicate name: (identifier) @variable.parameter)
(function_signature name: (identifier) @function)
(method_signature name: [(property_identifier) (private_property_identifier)] @function.method)
(abstract_method_signature
  name: [(property_identifier) (private_property_identifier)] @function.method)
(property_signature name: (property_identifier) @function.method
  type: (type_annotation (function_type)))
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @function.method
  value: [(arrow_function) (function_expression)])
(template_literal_type) @string
(template_type) @embedded
[
  "abstract" "accessor" "assert" "asserts" "declare" "enum" "implements" "infer" "interface" "is"
  "keyof" "module" "namespace" "override" "private" "protected" "public" "readonly" "require"
  "satisfies" "type" "unique symbol"
] @keyword
(ambient_declaration "global" @keyword)
(predefined_type "void" @type.builtin)
(type_query "typeof" @keyword)
(mapped_type_clause "in" @keyword)
[":" "?." "?:" "-?:" "+?:" "{|" "|}"] @punctuation
(ternary_expression ":" @operator)
(conditional_type ["?" ":"] @operator)
(non_null_expression "!" @operator)
(optional_type "?" @operator)
(optional_parameter "?" @operator)
(property_signature "?" @operator)
(method_signature "?" @operator)
(method_definition "?" @operator)
(public_field_definition ["?" "!"] @operator)
(type_arguments ["<" ">"] @punctuation)
(type_parameters ["<" ">"] @punctuation)
(template_type ["${" "}"] @punctuation)
