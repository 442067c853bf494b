//! Names and messages for people, with control characters escaped.
//!
//! Otherwise, the name of a file or a column could move the cursor, change the colours or the title
//! of the terminal, and make one line look like another.

use std::borrow::Cow;
use std::path::Path;

/// Escapes a string for one line. Not for JSON and CSV: programs get strings unchanged.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, char::is_control)
}

/// Escapes a text of several lines, except line breaks and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.is_control() && c != '\n' && c != '\t')
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return text.into();
    }
    let mut shown = String::new();
    for c in text.chars() {
        if is_escaped(c) {
            shown.extend(c.escape_default())
        } else {
            shown.push(c)
        }
    }
    shown.into()
}

/// Formats the path of a file.
pub fn path(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

/// Formats a number of bytes with a suitable unit.
pub fn size(bytes: u64) -> String {
    let mut size = bytes as f64;
    if size < 1024.0 {
        return format!("{bytes} B");
    }
    let mut unit = "";
    for larger in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        // Sizes that would round to 1024 use the next unit.
        if !unit.is_empty() && size < 1023.5 {
            break;
        }
        size /= 1024.0;
        unit = larger;
    }
    match size {
        ..9.995 => format!("{size:.2} {unit}"),
        ..99.95 => format!("{size:.1} {unit}"),
        _ => format!("{size:.0} {unit}"),
    }
}

/// Formats digits in groups of three: `12,345`.
#[cfg(feature = "measuring")]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats throughput in MB/s, from MiB/s.
pub fn megabytes(mib_per_s: f64) -> String {
    format!("{:.0}", decimal_megabytes(mib_per_s))
}

/// Converts MiB to MB.
pub fn decimal_megabytes(mib: f64) -> f64 {
    mib * f64::from(1 << 20) / 1e6
}

/// Formats an error with its causes, on one line if they are.
pub fn error(error: &anyhow::Error) -> String {
    let causes = error.chain().map(|cause| {
        if let Some(error) = cause.downcast_ref() {
            parquet_error(error)
        } else if let Some(error) = cause.downcast_ref() {
            idl_error(error)
        } else {
            lines(&cause.to_string()).into_owned()
        }
    });
    causes.collect::<Vec<_>>().join(": ")
}

/// Formats an error of a Parquet file.
pub fn parquet_error(error: &bytelane_parquet::Error) -> String {
    let mut place = error.place().clone();
    place.file = place.file.map(|file| self::path(&file).into());
    place.column = place.column.map(|column| line(&column).into_owned());
    format!("{place}{}", lines(&error.problem().to_string()))
}

/// Formats an error in a Thrift IDL file, which includes a line of the file.
fn idl_error(error: &bytelane_thrift_build::Error) -> String {
    let mut error = error.clone();
    error.path = self::path(&error.path).into();
    error.message = line(&error.message).into_owned();
    lines(&error.to_string()).into_owned()
}

/// Returns a count with its noun: `1 file`, `2 files`.
pub fn plural(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_letters_are_not() {
        assert_eq!(line("größe ❤ \\n"), "größe ❤ \\n");
        assert_eq!(
            line("a\x1b[31m\nb\t\u{9b}\x7f"),
            r"a\u{1b}[31m\nb\t\u{9b}\u{7f}"
        );
        assert_eq!(lines("a\n\tb\r\x07"), "a\n\tb\\r\\u{7}");
        assert_eq!(
            path(Path::new("lake/\x1b]0;x\x07")),
            r"lake/\u{1b}]0;x\u{7}"
        );
    }

    #[test]
    fn sizes_have_three_digits() {
        let sizes = [
            0,
            1023,
            1024,
            1536,
            102_400,
            1_048_575,
            4_321_987,
            1 << 40,
            u64::MAX,
        ];
        let shown = [
            "0 B", "1023 B", "1.00 KiB", "1.50 KiB", "100 KiB", "1.00 MiB", "4.12 MiB", "1.00 TiB",
            "16.0 EiB",
        ];
        assert_eq!(sizes.map(size), shown);
    }

    #[test]
    #[cfg(feature = "measuring")]
    fn digits_are_grouped() {
        let shown = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn megabytes_are_decimal() {
        assert_eq!([0.0, 1000.0, 285.0].map(megabytes), ["0", "1049", "299"]);
    }

    #[test]
    fn errors_escape_what_they_name() {
        let error =
            bytelane_parquet::Error::new(bytelane_parquet::Problem::Corrupt("it\x07".into()));
        let error = error.in_column("pri\nce").in_file(Path::new("a\nb"));
        let error = anyhow::Error::from(error).context("outer\x1b");
        assert_eq!(
            self::error(&error),
            r"outer\u{1b}: a\nb, column pri\nce: it\u{7}"
        );
        let error = bytelane_thrift_build::Error {
            message: "there is no `a\x1b`".into(),
            path: "a\nb.thrift".into(),
            at: Some((1, 2, "\ta\x1b".into())),
        };
        assert_eq!(
            self::error(&error.into()),
            "a\\nb.thrift:1:2: there is no `a\\u{1b}`\n1 | \ta\\u{1b}\n  | \t^"
        );
    }
}
