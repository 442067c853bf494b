//! Summarises and formats figures.

pub use crate::readable::grouped;

/// Returns the median; of two middle values, the greater one.
pub fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Formats a value with up to three digits: 0.123, 1.23, 12.3, 123, 1,234.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 999.5 => grouped(value.round() as u64),
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.9995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Formats a value for a tick, without trailing zeros.
pub fn short(value: f64) -> String {
    match value {
        value if value >= 1000.0 => grouped(value.round() as u64),
        value => format!("{}", (value * 1e4).round() / 1e4),
    }
}

/// Formats a ratio: 0.93.
pub fn ratio(value: f64) -> String {
    format!("{value:.2}")
}

pub fn gigabytes_per_second(value: f64) -> String {
    format!("{} GB/s", figure(value))
}

/// Formats a gain: 1.23×.
pub fn times(value: f64) -> String {
    format!("{}×", figure(value))
}

/// Formats a share: 87%.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// Formats a number of bytes with up to three digits before the decimal point.
pub fn bytes(value: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.iter().find(|(size, _)| value >= *size) {
        None => format!("{value} B"),
        Some((size, unit)) if value.is_multiple_of(*size) => format!("{} {unit}", value / size),
        Some((size, unit)) => format!("{} {unit}", figure(value as f64 / *size as f64)),
    }
}

/// Formats seconds: 40 s, 2 min 5 s.
pub fn duration(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        seconds @ 0..=59 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        let shown = [0.1234, 0.9996, 1.234, 9.996, 12.34, 123.4, 1234.4].map(figure);
        assert_eq!(
            shown,
            ["0.123", "1.00", "1.23", "10.0", "12.3", "123", "1,234"]
        );
    }

    #[test]
    fn sizes_and_times() {
        let shown = [0, 64, 1 << 10, 49_380, 1 << 20, 32 << 20, 1 << 31].map(bytes);
        let expected = [
            "0 B", "64 B", "1 KiB", "48.2 KiB", "1 MiB", "32 MiB", "2 GiB",
        ];
        assert_eq!(shown, expected);
        assert_eq!(
            [0.2, 59.0, 60.5].map(duration),
            ["1 s", "59 s", "1 min 1 s"]
        );
        assert_eq!([0.25, 2.0, 4096.0].map(short), ["0.25", "2", "4,096"]);
    }
}
