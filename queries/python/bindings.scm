; Name resolution for Python. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both.

(module (#set! namespaces "one")) @scope.file

; Definitions
(class_definition
  name: (_) @name type_parameters: (_) @type_parameters superclasses: (_) @supers body: (_) @body
  (#set! scope "body")) @define.class
(function_definition
  name: (_) @name type_parameters: (_) @type_parameters parameters: (_) @parameters return_type: (_) @returns
  body: (_) @body
  (#set! scope "function") (#set! flags "self") (#set! evaluated "around")
  (#set! class_method "__new__ __init_subclass__ __class_getitem__")) @define.function
(decorated_definition) @group
(decorator
  (#set! static "staticmethod") (#set! class_method "classmethod")
  (#set! property "property cached_property setter getter") (#set! overload "overload")) @modifier
(type_alias_statement left: (_) @pattern right: (_) @value) @bind.type
(lambda parameters: (_) @parameters body: (_) @body (#set! evaluated "around")) @lambda
(argument_list) @list

; Parameters
(default_parameter name: (_) @pattern value: (_) @value) @bind.parameter
(typed_parameter (identifier) @pattern (list_splat_pattern) @pattern (dictionary_splat_pattern) @pattern type: (_) @type) @bind.parameter
(typed_default_parameter name: (_) @pattern type: (_) @type value: (_) @value) @bind.parameter

; variadic parameters: `*rest`, `**rest`
(list_splat_pattern (#set! flags "variadic")) @rest
(dictionary_splat_pattern (#set! flags "keywords")) @rest

; Bindings
(assignment left: (_) @pattern type: (_) @type right: (_) @value
  (#set! visible "function") (#set! typed "type:") (#set! inferred "Final ClassVar")
  (#set! listed "__all__")) @bind.variable
(augmented_assignment (#set! listed "__all__")) @group
(named_expression name: (_) @pattern value: (_) @value (#set! visible "function")) @bind.variable
(for_statement right: (_) @value left: (_) @pattern body: (_) @body alternative: (_) @body
  (#set! visible "function") (#set! derive "element")) @bind.variable
(for_in_clause right: (_) @value left: (_) @pattern (#set! derive "element")
  (#set! evaluated "around")) @bind.variable
(as_pattern (as_pattern_target) @pattern (_) @value alias: (_) @pattern
  (#set! visible "function") (#set! derive "enter")) @bind.variable
(except_clause value: (_) @value alias: (_) @pattern
  (#set! visible "function") (#set! derive "instance") (#set! flags "fallback")) @bind.variable

; a plain name in a `case` is a capture; a dotted name or a class is a reference
(match_statement subject: (_) @subject) @match
(case_clause (case_pattern) @pattern (#set! visible "function")) @arm
(case_pattern (dotted_name) @name) @pattern
(union_pattern (dotted_name) @name) @pattern
(class_pattern (dotted_name) @callee) @pattern
(keyword_pattern (identifier) @member (dotted_name) @name) @pattern
(dict_pattern key: (_) @key value: (_) @value) @pattern
(splat_pattern (identifier) @name) @pattern
(pattern_list) @tuple
(tuple_pattern) @tuple
(list_pattern) @tuple
(global_statement) @redirect.root
(nonlocal_statement) @redirect.parent

; Scopes
(list_comprehension body: (_) @body) @scope.comprehension
(set_comprehension body: (_) @body) @scope.comprehension
(generator_expression body: (_) @body) @scope.comprehension
(dictionary_comprehension body: (_) @body) @scope.comprehension

; Imports
(import_statement name: (dotted_name) @module) @import
(aliased_import name: (_) @name alias: (_) @alias) @import_item
(import_from_statement module_name: (_) @path name: (dotted_name) @item_name (wildcard_import) @all) @import
(future_import_statement) @skip
(dotted_name) @skip
(relative_import) @skip
(import_prefix) @skip

; Expressions
(identifier) @name
(attribute object: (_) @object attribute: (_) @member) @member
(call function: (_) @callee arguments: (_) @arguments
  (#set! test "isinstance") (#set! listed "__all__") (#set! record "namedtuple NamedTuple")) @call
(if_statement condition: (_) @condition consequence: (_) @narrowed) @branch
(elif_clause condition: (_) @condition consequence: (_) @narrowed) @branch
(assert_statement) @assert
(not_operator) @negation
(keyword_argument name: (_) @name value: (_) @value (#set! typed "bound")) @keyword
(subscript value: (_) @object subscript: (slice) @first subscript: (_) @type_arguments
  (#set! typed "Union Optional List Dict Tuple Set FrozenSet Type Callable Iterable Iterator
    Sequence Mapping MutableMapping Awaitable Generator ClassVar Annotated")
  (#set! text "Literal")) @index
(generic_type (identifier) @type (type_parameter) @type_arguments (#set! text "Literal")) @generic
(type_parameter) @list
(member_type) @pass
(union_type) @union
(await) @await
(yield) @yield
(conditional_expression) @choice
(boolean_operator left: (_) @item right: (_) @item) @choice
(binary_operator left: (_) @item right: (_) @item) @choice
(return_statement) @return
(parenthesized_expression) @pass
(expression_list) @tuple
(tuple) @tuple
(list) @literal.sequence
(set) @literal.set
(dictionary) @literal.map
(pair key: (_) @value value: (_) @value) @group
(string) @string
(concatenated_string) @literal.text
(integer) @literal.number
(float) @literal.number
(true) @literal.boolean
(false) @literal.boolean
(none) @literal.nothing
(comment) @skip
(type) @pass
