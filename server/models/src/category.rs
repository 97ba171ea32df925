//! What a model is for, by its name and family: servers do not report it.

use schemars::JsonSchema;
use serde::Serialize;

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Category {
    Chat,
    Code,
    Reasoning,
    Vision,
    Embedding,
    Rerank,
    Moderation,
    Audio,
    Image,
}

/// Parts of names, and whole words of names, of each category. The first match counts.
const NAMES: &[(Category, &[&str], &[&str])] = &[
    (Category::Rerank, &["rerank"], &[]),
    (
        Category::Embedding,
        &["embed", "minilm", "sentence-", "multilingual-e5", "bge-", "arctic-embed"],
        &["bge", "gte", "e5", "bert"],
    ),
    (Category::Moderation, &["moderation", "guard", "shieldgemma"], &[]),
    (Category::Audio, &["whisper", "transcribe", "realtime"], &["tts", "audio", "asr"]),
    (Category::Image, &["dall-e", "gpt-image", "stable-diffusion"], &["flux", "sdxl", "imagen"]),
    (Category::Vision, &["llava", "vision", "moondream", "pixtral", "minicpm-v"], &["vl"]),
    (Category::Code, &["code", "codestral", "devstral"], &[]),
    (
        Category::Reasoning,
        &["reason", "thinking", "magistral", "gpt-oss"],
        &["r1", "qwq", "o1", "o3", "o4"],
    ),
];

/// The category of a model by its name, and by the families that Ollama reports.
pub(crate) fn of(name: &str, families: &[&str]) -> Category {
    // The owner before the last slash is no part of the model's name.
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let is_word = |word: &&str| {
        name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| {
            part == *word || part.strip_suffix(char::is_numeric).is_some_and(|part| part == *word)
        })
    };
    for (category, parts, words) in NAMES {
        if parts.iter().any(|part| name.contains(part)) || words.iter().any(is_word) {
            return *category;
        }
    }
    let has_family = |part: &str| families.iter().any(|family| family.contains(part));
    if has_family("bert") {
        Category::Embedding
    } else if has_family("clip") || has_family("mllama") {
        Category::Vision
    } else {
        Category::Chat
    }
}

/// Whether models of a category answer prompts with text.
pub(crate) fn writes_text(category: Category) -> bool {
    matches!(category, Category::Chat | Category::Code | Category::Reasoning | Category::Vision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_families_have_categories() {
        for (name, families, wanted) in [
            ("llama3.2:latest", &["llama"][..], Category::Chat),
            ("gpt-4o", &[], Category::Chat),
            ("nomic-embed-text", &["nomic-bert"], Category::Embedding),
            ("text-embedding-3-small", &[], Category::Embedding),
            ("BAAI/bge-m3", &[], Category::Embedding),
            ("all-minilm", &[], Category::Embedding),
            ("mxbai-large", &["bert"], Category::Embedding),
            ("bge-reranker-v2", &[], Category::Rerank),
            ("jina-reranker", &[], Category::Rerank),
            ("qwen2.5-coder:7b", &[], Category::Code),
            ("qwen2.5-vl:7b", &[], Category::Vision),
            ("gemma3", &["gemma3", "clip"], Category::Vision),
            ("deepseek-r1:8b", &[], Category::Reasoning),
            ("o3-mini", &[], Category::Reasoning),
            ("whisper-1", &[], Category::Audio),
            ("tts-1-hd", &[], Category::Audio),
            ("dall-e-3", &[], Category::Image),
            ("llama-guard3", &[], Category::Moderation),
        ] {
            assert_eq!(of(name, families), wanted, "{name}");
        }
    }
}
