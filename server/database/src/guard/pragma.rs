//! The pragmas of SQLite that only read.

/// Pragmas that read, whatever their value names.
const READS_WITH_VALUE: &[&str] = &[
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
    "foreign_key_check",
    "integrity_check",
    "quick_check",
];
/// Pragmas that read if they get no value, and change something otherwise.
const READS_WITHOUT_VALUE: &[&str] = &[
    "application_id",
    "auto_vacuum",
    "cache_size",
    "collation_list",
    "compile_options",
    "data_version",
    "database_list",
    "encoding",
    "foreign_keys",
    "freelist_count",
    "function_list",
    "journal_mode",
    "max_page_count",
    "module_list",
    "page_count",
    "page_size",
    "pragma_list",
    "query_only",
    "schema_version",
    "synchronous",
    "user_version",
];

/// Whether a pragma only reads.
pub(crate) fn sqlite_pragma_reads(name: &str, has_value: bool) -> bool {
    let is_in = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_in(READS_WITH_VALUE) || (!has_value && is_in(READS_WITHOUT_VALUE))
}

/// `PRAGMA table_info(items)` as `PRAGMA table_info('items')`, which means the same: the parser wants a value.
pub(super) fn with_quoted_value(sql: &str) -> Option<String> {
    let sql = sql.trim().trim_end_matches(';').trim_end();
    let (name, value) = sql.strip_suffix(')')?.split_once('(')?;
    let value = value.trim();
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut words = name.split_whitespace();
    let is_pragma = words.next()?.eq_ignore_ascii_case("pragma")
        && words.next()?.split('.').all(is_name)
        && words.next().is_none();
    (is_pragma && is_name(value)).then(|| format!("{name}('{value}')"))
}
