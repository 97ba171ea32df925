; inherits: ecmascript
((enum_body) @list (#set! list.comma "may") (#set! list.pad))
((tuple_type) @list (#set! list.comma "may"))
[(interface_body) (object_type)] @body
[(interface_declaration) (type_alias_declaration) (enum_declaration) (abstract_class_declaration)] @declares
(interface_declaration name: (_) @declares.name)
(type_alias_declaration name: (_) @declares.name)
(enum_declaration name: (_) @declares.name)
[(as_expression) (satisfies_expression) (non_null_expression)] @plain
[(module) (internal_module) (ambient_declaration)] @fixed
