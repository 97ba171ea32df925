; `compareTo` and `equals` are asked to mean the same both ways.
((value_arguments) @list (#set! list.comma "may"))
((collection_literal) @list (#set! list.comma "may") (#set! list.sort "values"))
([(function_value_parameters) (class_parameters)] @list (#set! list.comma "may"))

((block) @body (#set! wrap.if "if (true) {|}"))
[(class_body) (enum_class_body) (lambda_literal)] @body
[(property_declaration) (function_declaration) (class_declaration)] @declares

(import) @import
