//! All limits of this crate, with their reasons.

/// Text of an answer that is read, in bytes: what fits into one result.
pub(crate) const MAX_ANSWER_BYTES: usize = 48_000;
/// Bytes of a streamed answer: each token comes in some 300 bytes of JSON, and hidden reasoning comes, too.
pub(crate) const MAX_STREAM_BYTES: usize = 32 << 20;
/// One event of a stream, or an answer in one piece, in bytes. Longer ones are no answers.
pub(crate) const MAX_EVENT_BYTES: usize = 1 << 20;
/// A list of models, or an embedding, in bytes.
pub(crate) const MAX_REPLY_BYTES: usize = 4 << 20;
/// Longest prompt, in bytes: about 250,000 tokens, which is more than most models take.
pub(crate) const MAX_PROMPT_BYTES: usize = 1 << 20;
/// Part of a prompt that an approval request shows, in bytes.
pub(crate) const MAX_SHOWN_PROMPT_BYTES: usize = 4_000;
/// Tokens of an answer unless the caller sets another number.
pub(crate) const DEFAULT_MAX_TOKENS: u64 = 2_048;
/// Most tokens that a caller may ask for.
pub(crate) const MAX_TOKENS: u64 = 32_768;
/// Events beyond those that the tokens of an answer need: beginnings, ends, signs of life.
pub(crate) const SPARE_EVENTS: u64 = 256;
/// Bytes of a token, for estimates where a server does not count.
pub(crate) const BYTES_PER_TOKEN: u64 = 4;
/// Tokens of a completion: a few lines, which a person reads at a glance.
pub(crate) const COMPLETION_TOKENS: u64 = 128;
/// Attempts after the first.
pub(crate) const RETRIES: u32 = 3;
/// Longest name of a model, in bytes.
pub(crate) const MAX_MODEL_NAME_BYTES: usize = 200;
/// Models of a backend that are listed: the largest routers have 500.
pub(crate) const MAX_MODELS: usize = 1_000;
/// Part of a server's own error message that is passed on, in characters.
pub(crate) const MAX_QUOTED_CHARS: usize = 300;
/// Longest text that is embedded, in bytes: four times what embedding models read.
pub(crate) const MAX_EMBEDDED_BYTES: usize = 128 << 10;
/// Longest embedding. The largest models have 8,192 dimensions.
pub(crate) const MAX_DIMENSIONS: usize = 16_384;
/// Models whose number of dimensions a session remembers.
pub(crate) const MAX_KNOWN_DIMENSIONS: usize = 200;
/// Part of a probe's response that is returned, in bytes: all of them fit into one result.
pub(crate) const MAX_PROBE_RESPONSE_BYTES: usize = 2_000;
/// Time for all probes of a call, in seconds.
pub(crate) const MAX_PROBE_SECS: u64 = 600;
/// Time for the list of a backend's models, in seconds. A server that is there answers at once.
pub(crate) const LIST_SECS: u64 = 10;
/// Time for an InfluxDB query, in seconds.
pub(crate) const INFLUX_SECS: u64 = 15;
/// Measurements of an InfluxDB that are reported.
pub(crate) const MAX_MEASUREMENTS: usize = 20;
/// Columns of a measurement that are reported.
pub(crate) const MAX_COLUMNS: usize = 30;
/// Longest reported value of a column, in characters.
pub(crate) const MAX_VALUE_CHARS: usize = 80;
/// How far back `ml_status` counts runs, in days.
pub(crate) const STATUS_DAYS: i64 = 30;
/// Runs that `ml_status` counts.
pub(crate) const MAX_COUNTED_RUNS: usize = 100_000;
