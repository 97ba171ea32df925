; What JSX means for names: an element that a component makes refers to the component, and its
; attributes to what the component takes.

(jsx_element) @opaque
(jsx_opening_element name: (_) @callee) @element
(jsx_self_closing_element name: (_) @callee) @element
(jsx_closing_element name: (_) @callee) @element
(jsx_attribute (property_identifier) @key (jsx_namespace_name) @skip (_) @value) @element_attribute
(jsx_namespace_name) @skip
(jsx_text) @skip
