//! Values that only stand for a secret.

/// Parts of values, in lower case, that no random key has by chance.
const WORDS: &[&str] = &[
    "example",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "your_",
    "your-",
    "yourapi",
    "yoursecret",
    "yourtoken",
    "yourpass",
    "xxxx",
    "****",
    "....",
    "----",
    "____",
    "dummy",
    "redacted",
    "sample",
    "replace",
    "insert",
    "mysecret",
    "my_secret",
    "my-secret",
    "mytoken",
    "my-token",
    "my_token",
    "fake",
    "notreal",
    "not-real",
    "lorem",
    "foobar",
    "deadbeef",
    "cafebabe",
    "12345678",
    "87654321",
    "abcdefgh",
    "abcd1234",
    "qwerty",
    "test_secret",
    "testsecret",
];
/// Beginnings of references to a value that is elsewhere.
const REFERENCES: &[&str] = &[
    "${",
    "$(",
    "{{",
    "<",
    "%(",
    "%{",
    "#{",
    "@{",
    "process.env",
    "os.environ",
    "os.getenv",
    "getenv(",
    "env.",
    "env(",
    "secrets.",
    "vault:",
    "ssm:",
    "arn:",
    "op://",
    "secret://",
    "ref+",
    "!vault",
    "var.",
    "local.",
    "data.",
    "enc[",
];
/// Passwords of documentation and local development, as a whole.
const COMMON_PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "secret",
    "postgres",
    "root",
    "admin",
    "guest",
    "user",
    "mysql",
    "test",
    "testing",
    "password1",
    "pw",
    "pwd",
    "mypassword",
    "p4ssw0rd",
    "passw0rd",
    "supersecret",
    "letmein",
    "docker",
    "mongo",
    "redis",
    "rabbitmq",
    "username",
    "token",
    "hunter2",
    "pass123",
    "password123",
    "admin123",
    "secret123",
    "test123",
    "none",
    "null",
    "undefined",
    "true",
    "false",
];
/// Signatures and keys that a provider's or a standard's documentation shows.
const DOCUMENTED: &[&str] = &[
    // jwt.io
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    // RFC 7519
    "dBjftJeZ4CVP-mBHbYPaHyJLNMKnJFZjyMSRMjpxzoA",
    // The account key of Azurite and of Azure's storage emulator
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
];
/// Equal characters in a row that no random key has.
const MAX_RUN: usize = 6;

/// Whether the value stands for a secret and is none.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let contains = |word: &&str| find(&lower, word.as_bytes());
    REFERENCES.iter().any(|start| lower.starts_with(start.as_bytes()))
        || COMMON_PASSWORDS.iter().any(|word| lower == word.as_bytes())
        || WORDS.iter().any(contains)
        || DOCUMENTED.iter().any(|known| find(value, known.as_bytes()))
        || value.chunk_by(|one, other| one == other).any(|run| run.len() >= MAX_RUN)
        // `%s`, `{0}`, `{name}`
        || value.starts_with(b"{") && value.ends_with(b"}")
        || value.len() <= 4 && value.starts_with(b"%")
}

/// Whether a value that is known only by the name of its variable is a name, a path, code or prose and no random text.
pub(crate) fn is_code(value: &[u8]) -> bool {
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    let contains = |part: &str| find(value, part.as_bytes());
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    !is_mixed
        || !value.is_ascii()
        || value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"$")
        || value.starts_with(b"--")
        || ["://", "::", "->", "=>", "${", "{{", "()", "](", "\\u", "\\x", "</"]
            .iter()
            .any(|part| contains(part))
        || is_words(value)
}

/// Whether it is words joined by `-`, `_`, `.`, `/` or `:`, such as `oauth2-access-token`: random keys have no words of
/// letters alone all along.
fn is_words(value: &[u8]) -> bool {
    let parts = || value.split(|byte| b"-_./: ,".contains(byte)).filter(|part| !part.is_empty());
    let is_word = |part: &[u8]| {
        let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        part.len() - letters <= 2 && part[letters..].iter().all(u8::is_ascii_digit)
    };
    parts().count() > 1 && parts().all(|part| is_word(part) || part.iter().all(u8::is_ascii_digit))
}

fn find(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_recognised() {
        for value in [
            "AKIAIOSFODNN7EXAMPLE",
            "changeme",
            "<token>",
            "${TOKEN}",
            "{{ token }}",
            "xxxxxxxxxxxx",
            "process.env.KEY",
            "000000aaaaaa",
            "password123",
            "{password}",
            "%s",
            "YOUR_API_KEY",
        ] {
            assert!(is_placeholder(value.as_bytes()), "{value}");
        }
        for value in ["kX9vQ2mZ7pLw4RtY", "hunter2!x", "a$b{c"] {
            assert!(!is_placeholder(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn code_and_names_are_no_random_text() {
        for value in [
            "oauth2-access-token",
            "src/lib2.rs",
            "get_token2()",
            "nodigitsinhere",
            "/etc/key1",
            "a::b2",
            "v1.secret.name",
        ] {
            assert!(is_code(value.as_bytes()), "{value}");
        }
        for value in ["kX9vQ2mZ7pLw4RtY", "9f86d081-884c-7d65-9a2f-eaa0c55ad015", "s3cr!t-Zq81kd"] {
            assert!(!is_code(value.as_bytes()), "{value}");
        }
    }
}
