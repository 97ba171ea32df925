; inherits: ecmascript, jsx
(formal_parameters (identifier) @variable.parameter)
(formal_parameters (assignment_pattern left: (identifier) @variable.parameter))
(formal_parameters (rest_pattern (identifier) @variable.parameter))
(formal_parameters (object_pattern (shorthand_property_identifier_pattern) @variable.parameter))
(formal_parameters
  (object_pattern
    (object_assignment_pattern
      left: (shorthand_property_identifier_pattern) @variable.parameter)))
(formal_parameters (object_pattern (pair_pattern value: (identifier) @variable.parameter)))
(formal_parameters (array_pattern (identifier) @variable.parameter))
(class_declaration name: (identifier) @type.class)
(class name: (identifier) @type.class)
(field_definition property: [(property_identifier) (private_property_identifier)] @property)
(field_definition
  property: [(property_identifier) (private_property_identifier)] @function.method
  value: [(arrow_function) (function_expression)])
(class_heritage (identifier) @type.class)
