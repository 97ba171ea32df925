//! Checksums that providers put into their keys.

use serde::Deserialize;

/// A scheme of checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Checksum {
    /// GitHub's and npm's: after the first `_`, a random text and six characters, which are the text's CRC32 in base 62.
    #[serde(rename = "crc32-base62")]
    Crc32Base62,
}

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Characters of the checksum.
const LENGTH: usize = 6;

impl Checksum {
    /// Whether the checksum in `secret` is right.
    pub(crate) fn is_right(self, secret: &[u8]) -> bool {
        match self {
            Self::Crc32Base62 => {
                let start = secret.iter().position(|byte| *byte == b'_').map_or(0, |at| at + 1);
                let Some((random, given)) = secret[start..].split_last_chunk::<LENGTH>() else {
                    return false;
                };
                base62(crc32fast::hash(random)) == *given
            }
        }
    }
}

fn base62(mut number: u32) -> [u8; LENGTH] {
    let mut text = [b'0'; LENGTH];
    for place in text.iter_mut().rev() {
        *place = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_example_has_the_right_checksum() {
        // From GitHub's description of the format.
        let secret = ["ghp", "_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ", "0mLq17"].concat();
        assert!(Checksum::Crc32Base62.is_right(secret.as_bytes()));
        assert!(!Checksum::Crc32Base62.is_right(secret.replace("0mL", "0mM").as_bytes()));
        assert!(!Checksum::Crc32Base62.is_right(b"ghp_"));
    }
}
