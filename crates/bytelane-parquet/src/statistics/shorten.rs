//! Shortens bounds of long strings for statistics and indexes.

use super::Order;

/// Bound in the form in which it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    pub(crate) bytes: Vec<u8>,
    /// Set if it is one of the values.
    pub(crate) is_exact: bool,
}

/// Returns bounds for statistics. Long strings are shortened to `length` bytes, and the upper one is then
/// increased. Text stays valid UTF-8. An upper bound that cannot be increased stays long.
pub fn shorten(
    least: Vec<u8>,
    most: Vec<u8>,
    order: Order,
    is_text: bool,
    length: usize,
) -> [Bound; 2] {
    let exact = |bytes| Bound {
        bytes,
        is_exact: true,
    };
    let short = |bytes| Bound {
        bytes,
        is_exact: false,
    };
    let is_long = |bytes: &[u8]| order == Order::Bytes && bytes.len() > length;
    let least = if is_long(&least) {
        short(start(&least, is_text, length).to_vec())
    } else {
        exact(least)
    };
    let increased = is_long(&most).then(|| increased(start(&most, is_text, length), is_text));
    [
        least,
        increased.flatten().map_or_else(|| exact(most), short),
    ]
}

/// Returns the first bytes of a string; for text, only whole characters.
fn start(bytes: &[u8], is_text: bool, length: usize) -> &[u8] {
    let short = &bytes[..length];
    match std::str::from_utf8(short) {
        Err(error) if is_text && error.error_len().is_none() => &short[..error.valid_up_to()],
        _ => short,
    }
}

/// Returns the next greater string, or `None` if there is none of this length.
fn increased(bytes: &[u8], is_text: bool) -> Option<Vec<u8>> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text => increased_text(text),
        _ => {
            let last = bytes.iter().rposition(|byte| *byte != 0xff)?;
            let mut greater = bytes[..=last].to_vec();
            greater[last] += 1;
            Some(greater)
        }
    }
}

/// Returns the next greater text. The last character that has a successor of the same length is replaced by
/// it.
fn increased_text(text: &str) -> Option<Vec<u8>> {
    text.char_indices().rev().find_map(|(start, character)| {
        let next = char::from_u32(u32::from(character) + 1)?;
        let is_as_long = next.len_utf8() == character.len_utf8();
        is_as_long.then(|| format!("{}{next}", &text[..start]).into_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: usize = 64;

    fn shortened(value: &[u8], is_text: bool) -> [Vec<u8>; 2] {
        let bounds = shorten(value.to_vec(), value.to_vec(), Order::Bytes, is_text, SHORT);
        for bound in &bounds {
            assert_eq!(bound.is_exact, bound.bytes == value);
        }
        bounds.map(|bound| bound.bytes)
    }

    #[test]
    fn a_bound_that_is_cut_still_bounds() {
        let mut value = vec![7; 100];
        let [least, most] = shortened(&value, false);
        assert_eq!((least.len(), most.len()), (SHORT, SHORT));
        assert!(least < value && value < most);
        value.fill(0xff);
        assert_eq!(shortened(&value, false), [value[..SHORT].to_vec(), value]);
        assert_eq!(shortened(b"short", true), [b"short", b"short"]);
    }

    #[test]
    fn any_length_bounds() {
        for length in 0..12 {
            for text in ["aäa€\u{10ffff}b", "\u{10ffff}\u{10ffff}\u{10ffff}"] {
                for is_text in [false, true] {
                    let value = text.as_bytes();
                    let [least, most] = [value; 2].map(<[u8]>::to_vec);
                    let [least, most] = shorten(least, most, Order::Bytes, is_text, length);
                    assert!(least.bytes.as_slice() <= value && value <= most.bytes.as_slice());
                    assert!(least.bytes.len() <= length);
                    let is_short = most.bytes.len() <= length;
                    assert!(is_short || most.bytes == value, "{length} {text}");
                }
            }
        }
    }

    #[test]
    fn text_stays_text() {
        for text in [
            "ä".repeat(50),
            format!("a{}", "€".repeat(40)),
            "x\u{10ffff}".repeat(30),
        ] {
            let [least, most] = shortened(text.as_bytes(), true);
            let [least, most] = [least, most].map(|it| String::from_utf8(it).expect("text"));
            assert!(least < text && text < most, "{least} {text} {most}");
            assert!(least.len() <= SHORT && most.len() <= SHORT);
        }
        let last = "\u{10ffff}".repeat(20);
        let [least, most] = shortened(last.as_bytes(), true);
        assert!(least.len() == SHORT && most == last.as_bytes());
        // Bytes that are not text are cut anywhere.
        let mut bytes = "ä".repeat(50).into_bytes();
        bytes[3] = 0xff;
        let [least, most] = shortened(&bytes, true);
        assert!(least < bytes && bytes < most && most.len() <= SHORT);
    }
}
