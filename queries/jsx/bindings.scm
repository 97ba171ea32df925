; Name resolution for JSX: an element refers to its component, and its attributes to the properties
; of that component.

(jsx_element) @opaque
(jsx_opening_element name: (_) @callee) @element
(jsx_self_closing_element name: (_) @callee) @element
(jsx_closing_element name: (_) @callee) @element
(jsx_attribute (property_identifier) @key (jsx_namespace_name) @skip (_) @value) @element_attribute
(jsx_namespace_name) @skip
(jsx_text) @skip
