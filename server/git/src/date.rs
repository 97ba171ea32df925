//! Calendar dates of commits.

use crate::commits::Person;

const SECONDS_PER_DAY: i64 = 86_400;

impl Person {
    /// The date in the person's own time zone: `2025-01-15`.
    #[must_use]
    pub fn day(&self) -> String {
        let seconds = self.seconds.saturating_add(i64::from(self.offset) * 60);
        let (year, month, day) = civil_from_days(seconds.div_euclid(SECONDS_PER_DAY));
        format!("{year:04}-{month:02}-{day:02}")
    }
}

/// Year, month and day of a day number since 1970, after Howard Hinnant's `civil_from_days`.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days.clamp(-400_000_000, 400_000_000) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_match_the_calendar() {
        for (seconds, offset, day) in [
            (0, 0, "1970-01-01"),
            (1_709_164_800, 0, "2024-02-29"),
            (1_709_251_199, 0, "2024-02-29"),
            (1_709_251_199, 60, "2024-03-01"),
            (-1, 0, "1969-12-31"),
            (4_107_542_400, -60, "2100-02-28"),
        ] {
            let person = Person { name: String::new(), email: String::new(), seconds, offset };
            assert_eq!(person.day(), day);
        }
    }
}
