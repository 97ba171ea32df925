(comment) @comment
(marginalia) @comment

(identifier) @variable
(field name: (identifier) @property)
(column_definition name: (identifier) @property)
(column (identifier) @property)
(assignment left: (field name: (identifier) @property))

(object_reference name: (identifier) @type)
(object_reference schema: (identifier) @namespace)
(object_reference database: (identifier) @namespace)
(relation alias: (identifier) @variable)
(term alias: (identifier) @variable)
(cte . (identifier) @type)
(invocation (object_reference name: (identifier) @function))
(create_function . (keyword_create) (object_reference name: (identifier) @function))
(create_schema (identifier) @namespace)
(create_index column: (identifier) @type)

(field (object_reference name: (identifier) @variable))
(create_trigger (keyword_function) . (object_reference name: (identifier) @function))
(function_argument (identifier) @variable.parameter)
(function_language (identifier) @string.special)
(parameter) @variable.parameter

(literal) @string
((literal) @number (#match? @number "^[-+]?[0-9.]"))
[(keyword_true) (keyword_false)] @boolean
(literal [(keyword_true) (keyword_false)] @boolean)
(keyword_null) @constant.builtin
(dollar_quote) @label

[
  (keyword_action) (keyword_add) (keyword_admin) (keyword_after) (keyword_all) (keyword_alter) (keyword_always)
  (keyword_analyze) (keyword_as) (keyword_asc) (keyword_atomic) (keyword_attribute) (keyword_authorization)
  (keyword_auto_increment) (keyword_avro) (keyword_before) (keyword_begin) (keyword_bin_pack) (keyword_brin)
  (keyword_btree) (keyword_by) (keyword_cache) (keyword_cached) (keyword_called) (keyword_cascade) (keyword_cascaded)
  (keyword_case) (keyword_cast) (keyword_change) (keyword_characteristics) (keyword_check) (keyword_collate)
  (keyword_column) (keyword_columns) (keyword_comment) (keyword_commit) (keyword_committed) (keyword_compression)
  (keyword_compute) (keyword_concurrently) (keyword_conflict) (keyword_connection) (keyword_constraint)
  (keyword_constraints) (keyword_copy) (keyword_cost) (keyword_create) (keyword_cross) (keyword_csv) (keyword_current)
  (keyword_current_timestamp) (keyword_cycle) (keyword_data) (keyword_database) (keyword_declare) (keyword_default)
  (keyword_deferrable) (keyword_deferred) (keyword_definer) (keyword_delayed) (keyword_delete) (keyword_delimited)
  (keyword_delimiter) (keyword_desc) (keyword_distinct) (keyword_do) (keyword_drop) (keyword_duplicate) (keyword_each)
  (keyword_else) (keyword_encoding) (keyword_encrypted) (keyword_end) (keyword_engine) (keyword_escape)
  (keyword_escaped) (keyword_except) (keyword_exclude) (keyword_execute) (keyword_exists) (keyword_explain)
  (keyword_extended) (keyword_extension) (keyword_external) (keyword_fields) (keyword_filter) (keyword_first)
  (keyword_following) (keyword_follows) (keyword_for) (keyword_force) (keyword_force_not_null) (keyword_force_null)
  (keyword_force_quote) (keyword_foreign) (keyword_format) (keyword_freeze) (keyword_from) (keyword_full)
  (keyword_function) (keyword_generated) (keyword_gin) (keyword_gist) (keyword_group) (keyword_groups) (keyword_hash)
  (keyword_having) (keyword_header) (keyword_high_priority) (keyword_if) (keyword_ignore) (keyword_immediate)
  (keyword_immutable) (keyword_increment) (keyword_incremental) (keyword_index) (keyword_initially) (keyword_inner)
  (keyword_inout) (keyword_input) (keyword_insert) (keyword_instead) (keyword_intersect) (keyword_into)
  (keyword_invoker) (keyword_isolation) (keyword_join) (keyword_jsonfile) (keyword_key) (keyword_language)
  (keyword_last) (keyword_lateral) (keyword_leakproof) (keyword_left) (keyword_level) (keyword_limit) (keyword_lines)
  (keyword_local) (keyword_location) (keyword_logged) (keyword_low_priority) (keyword_main) (keyword_match)
  (keyword_matched) (keyword_materialized) (keyword_maxvalue) (keyword_merge) (keyword_metadata) (keyword_minvalue)
  (keyword_modify) (keyword_names) (keyword_natural) (keyword_new) (keyword_no) (keyword_none) (keyword_noscan)
  (keyword_nothing) (keyword_nowait) (keyword_nulls) (keyword_of) (keyword_off) (keyword_offset) (keyword_old)
  (keyword_on) (keyword_only) (keyword_optimize) (keyword_option) (keyword_orc) (keyword_order) (keyword_ordinality)
  (keyword_others) (keyword_out) (keyword_outer) (keyword_over) (keyword_overwrite) (keyword_owned) (keyword_owner)
  (keyword_parallel) (keyword_parquet) (keyword_partition) (keyword_partitioned) (keyword_password) (keyword_plain)
  (keyword_precedes) (keyword_preceding) (keyword_primary) (keyword_procedure) (keyword_program) (keyword_quote)
  (keyword_range) (keyword_rcfile) (keyword_read) (keyword_real) (keyword_recursive) (keyword_references)
  (keyword_referencing) (keyword_rename) (keyword_repeatable) (keyword_replace) (keyword_replication) (keyword_reset)
  (keyword_restart) (keyword_restrict) (keyword_restricted) (keyword_return) (keyword_returning) (keyword_returns)
  (keyword_rewrite) (keyword_right) (keyword_role) (keyword_rollback) (keyword_row) (keyword_rows) (keyword_safe)
  (keyword_schema) (keyword_security) (keyword_select) (keyword_separator) (keyword_sequence) (keyword_sequencefile)
  (keyword_serializable) (keyword_session) (keyword_set) (keyword_setof) (keyword_show) (keyword_snapshot)
  (keyword_sort) (keyword_spgist) (keyword_stable) (keyword_start) (keyword_statement) (keyword_statistics)
  (keyword_stats) (keyword_stdin) (keyword_storage) (keyword_stored) (keyword_strict) (keyword_support)
  (keyword_table) (keyword_tables) (keyword_tablespace) (keyword_tblproperties) (keyword_temp) (keyword_temporary)
  (keyword_terminated) (keyword_textfile) (keyword_then) (keyword_ties) (keyword_to) (keyword_transaction)
  (keyword_trigger) (keyword_truncate) (keyword_type) (keyword_unbounded) (keyword_uncached) (keyword_uncommitted)
  (keyword_union) (keyword_unique) (keyword_unload) (keyword_unlogged) (keyword_unsafe) (keyword_until)
  (keyword_update) (keyword_use) (keyword_user) (keyword_using) (keyword_vacuum) (keyword_valid) (keyword_value)
  (keyword_values) (keyword_variadic) (keyword_verbose) (keyword_version) (keyword_view) (keyword_virtual)
  (keyword_volatile) (keyword_wait) (keyword_when) (keyword_where) (keyword_window) (keyword_with) (keyword_without)
  (keyword_write) (keyword_zone)
] @keyword

[
  (keyword_and) (keyword_any) (keyword_between) (keyword_in) (keyword_is) (keyword_like) (keyword_not) (keyword_or)
  (keyword_similar) (keyword_some)
] @keyword.operator

[
  (keyword_array) (keyword_bigint) (keyword_bigserial) (keyword_binary) (keyword_bit) (keyword_boolean)
  (keyword_box2d) (keyword_box3d) (keyword_bytea) (keyword_char) (keyword_character) (keyword_date) (keyword_datetime)
  (keyword_datetime2) (keyword_datetimeoffset) (keyword_decimal) (keyword_double) (keyword_enum) (keyword_float)
  (keyword_geography) (keyword_geometry) (keyword_image) (keyword_inet) (keyword_int) (keyword_interval)
  (keyword_json) (keyword_jsonb) (keyword_mediumint) (keyword_money) (keyword_name) (keyword_nchar) (keyword_numeric)
  (keyword_nvarchar) (keyword_object_id) (keyword_oid) (keyword_oids) (keyword_precision) (keyword_regclass)
  (keyword_regnamespace) (keyword_regproc) (keyword_regtype) (keyword_serial) (keyword_smalldatetime)
  (keyword_smallint) (keyword_smallmoney) (keyword_smallserial) (keyword_string) (keyword_text) (keyword_time)
  (keyword_timestamp) (keyword_timestamptz) (keyword_tinyint) (keyword_unsigned) (keyword_uuid) (keyword_varbinary)
  (keyword_varchar) (keyword_varying) (keyword_xml) (keyword_zerofill)
] @type.builtin

[
  "+" "-" "*" "/" "%" "^" "=" "!=" "<>" "<" "<=" ">" ">=" "::" ":="
] @operator
[(op_other) (op_unary_other) (bang)] @operator
(all_fields "*" @operator)
["(" ")" "[" "]" "," ";" "." ":"] @punctuation
