((translation_unit (function_definition declarator: (function_declarator declarator: (identifier) @main))) (#eq? @main "main"))
