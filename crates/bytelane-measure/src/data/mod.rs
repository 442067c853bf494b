//! Named data sets: generates bytes from an element type, a name and a seed.
//!
//! The same arguments give the same bytes on every machine. Values are little-endian, except
//! [`ElementType::Fixed`].
//!
//! ```
//! use bytelane_measure::data::{Dataset, ElementType};
//! let dataset: &Dataset = "gaps".parse::<&Dataset>().unwrap();
//! let bytes = dataset.generate(ElementType::U32, 1000, 1);
//! assert_eq!(bytes.len(), 4000);
//! assert_eq!(bytes, dataset.generate(ElementType::U32, 1000, 1));
//! ```

mod element_type;
mod lines;
mod simulated;

pub use element_type::ElementType;
pub use simulated::discrete_gaussian;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::fmt;
use std::str::FromStr;

/// Error for an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// Kind of name.
    pub kind: &'static str,
    /// The given name.
    pub name: String,
    /// Valid names.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, known } = self;
        write!(
            formatter,
            "unknown {kind} `{name}`; known: {}",
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownName {}

/// Values of a data set, one by one; each becomes the nearest value of the element type.
pub enum Sequence {
    /// Random bits, for any type.
    Bits,
    /// Integers, taken modulo the range of an integer type, or of half-precision floats.
    Integers(Box<dyn FnMut(&mut Xoshiro256PlusPlus) -> i64>),
    /// Real numbers; integer types use them as fixed-point numbers with three digits.
    Reals(Box<dyn FnMut(&mut Xoshiro256PlusPlus) -> f64>),
    /// Characters of a text in UTF-8, for any type, with the same number of bytes as the values.
    Text(fn(&mut Xoshiro256PlusPlus) -> char),
}

impl fmt::Debug for Sequence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Bits => "Bits",
            Self::Integers(_) => "Integers",
            Self::Reals(_) => "Reals",
            Self::Text(_) => "Text",
        })
    }
}

impl Sequence {
    /// Returns the next `values` values as bytes of a type.
    fn take(self, element: ElementType, values: usize, random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(values * element.width());
        match self {
            Self::Bits => {
                bytes.resize(values * element.width(), 0);
                random.fill_bytes(&mut bytes);
            }
            Self::Integers(mut next) => {
                (0..values).for_each(|_| element.push_integer(next(random), &mut bytes));
            }
            Self::Reals(mut next) => {
                (0..values).for_each(|_| element.push_real(next(random), &mut bytes));
            }
            Self::Text(next) => {
                let length = values * element.width();
                while bytes.len() < length {
                    let (mut utf8, room) = ([0; 4], length - bytes.len());
                    match next(random).encode_utf8(&mut utf8) {
                        character if character.len() <= room => bytes.extend(character.bytes()),
                        _ => bytes.extend(std::iter::repeat_n(b'.', room)),
                    }
                }
            }
        }
        bytes
    }
}

/// A kind of data with a name.
#[derive(Debug)]
pub struct Dataset {
    /// Name of the data set.
    pub name: &'static str,
    /// One-line description.
    pub description: &'static str,
    /// Starts a sequence from a seeded generator.
    pub start: fn(&mut Xoshiro256PlusPlus) -> Sequence,
}

/// Generates integers of a number of random bits.
macro_rules! bits {
    ($width:literal) => {
        Dataset {
            name: concat!("bits_", $width),
            description: concat!("integers of ", $width, " random bits"),
            start: |_| integers(|random| (random.next_u64() >> (64 - $width)) as i64),
        }
    };
}

/// Generates repeated random integers.
macro_rules! repeated {
    ($name:literal, $limit:literal, $times:literal, $least:literal..=$most:literal) => {
        Dataset {
            name: $name,
            description: concat!("integers below ", $limit, ", each ", $times, " in a row"),
            start: |_| {
                let (mut number, mut left) = (0, 0);
                integers(move |random| {
                    if left == 0 {
                        left = $least + below(random, $most + 1 - $least);
                        number = below(random, $limit);
                    }
                    left -= 1;
                    number
                })
            },
        }
    };
}

/// All data sets. To add one, add a row here.
pub static DATASETS: &[Dataset] = &[
    Dataset {
        name: "random",
        description: "random bits: incompressible, with floats of every kind",
        start: |_| Sequence::Bits,
    },
    Dataset {
        name: "mixed_widths",
        description: "integers of 5 to 32 random bits, all widths equally likely",
        start: |_| integers(|random| (random.next_u64() as i64 & 0xffff_ffff) >> below(random, 28)),
    },
    Dataset {
        name: "all_widths",
        description: "integers of 1 to 64 random bits, all widths equally likely",
        start: |_| integers(|random| (random.next_u64() >> below(random, 64)) as i64),
    },
    bits!(1),
    bits!(3),
    bits!(5),
    bits!(7),
    bits!(9),
    bits!(13),
    bits!(16),
    bits!(17),
    bits!(20),
    bits!(26),
    bits!(31),
    bits!(33),
    bits!(48),
    bits!(57),
    bits!(59),
    bits!(63),
    repeated!("below_1000", 1000, "once", 1..=1),
    repeated!("runs_1", 2, "up to 40 times", 1..=40),
    repeated!("runs_3", 8, "up to 20 times", 1..=20),
    repeated!("runs_1000", 1000, "up to 16 times", 1..=16),
    repeated!("repeats_1000", 1000, "8 to 40 times", 8..=40),
    Dataset {
        name: "one_byte",
        description: "integers from 0 to 63: one byte each in every variable-length code",
        start: |_| integers(|random| below(random, 64)),
    },
    Dataset {
        name: "two_bytes",
        description: "integers from -4096 to 4095: one or two bytes each as zigzag varints",
        start: |_| {
            // Half of the values take one byte, so that no length is predictable.
            integers(|random| match below(random, 2) {
                0 => below(random, 128) - 64,
                _ => below(random, 8192) - 4096,
            })
        },
    },
    Dataset {
        name: "gaps",
        description: "ascending integers with geometric gaps of 50 on average: a posting list",
        start: |_| {
            // survival[k] is the probability of a gap beyond k. It is computed only from products,
            // because a logarithm is not the same on every machine.
            let survival = std::iter::successors(Some(1.0), |share| Some(share * 0.98));
            let survival: Vec<f64> = survival.take(2000).collect();
            let mut sum = 0;
            integers(move |random| {
                let share = unit(random);
                sum += survival.partition_point(|&beyond| beyond >= share) as i64;
                sum
            })
        },
    },
    Dataset {
        name: "timestamps",
        description: "ascending integers of 41 bits with steps below 2000: times in milliseconds",
        start: |_| {
            let mut time = 1_600_000_000_000;
            integers(move |random| {
                time += below(random, 2000);
                time
            })
        },
    },
    Dataset {
        name: "steps",
        description: "integers with steps of 1000 from a random one: measurements at equal distances",
        start: |_| {
            let mut number = None;
            integers(move |random| {
                let next = number.map_or_else(|| below(random, 1_000_000), |number| number + 1000);
                number = Some(next);
                next
            })
        },
    },
    Dataset {
        name: "smooth",
        description: "slowly changing reals around 300: one line through a simulated field",
        start: |_| {
            let (mut value, mut slope) = (0.0, 0.0);
            reals(move |random| {
                slope = 0.97 * slope + 0.05 * (unit(random) - 0.5);
                value = 0.999 * value + slope;
                300.0 + value
            })
        },
    },
    Dataset {
        name: "field",
        description: "a smooth field in three dimensions, line by line",
        start: simulated::field,
    },
    Dataset {
        name: "messages",
        description: "messages of a simulation: five quantities per grid point, alternating",
        start: simulated::messages,
    },
    Dataset {
        name: "decimals",
        description: "readings with one decimal digit, from -10.0 to 45.0, each close to the previous one",
        start: |_| {
            let mut tenths = 150;
            reals(move |random| {
                tenths = (tenths + below(random, 21) - 10).clamp(-100, 450);
                tenths as f64 / 10.0
            })
        },
    },
    Dataset {
        name: "nearly_decimals",
        description: "readings with two decimal digits, below 1000, of which 2% have all their digits",
        start: |_| {
            reals(|random| match below(random, 50) {
                0 => 1000.0 * unit(random),
                _ => below(random, 100_000) as f64 / 100.0,
            })
        },
    },
    Dataset {
        name: "repeated",
        description: "256 distinct reals, drawn at random",
        start: |random| {
            let distinct: Vec<f64> = (0..256).map(|_| 1000.0 * unit(random)).collect();
            reals(move |random| distinct[below(random, 256) as usize])
        },
    },
    Dataset {
        name: "few_decimals",
        description: "3000 distinct reals with nine decimal digits, drawn at random",
        start: |random| {
            let number = |random: &mut _| (1_000_000_000.0 * unit(random)).round() / 1e9;
            let distinct: Vec<f64> = (0..3000).map(|_| number(random)).collect();
            reals(move |random| distinct[below(random, 3000) as usize])
        },
    },
    Dataset {
        name: "prices",
        description: "prices in cents, each close to the previous one and paid up to eight times in a row",
        start: |_| {
            let (mut cents, mut left) = (10_000, 0);
            reals(move |random| {
                if left == 0 {
                    left = 1 + below(random, 8);
                    cents = (cents + below(random, 7) - 3).max(1);
                }
                left -= 1;
                cents as f64 / 100.0
            })
        },
    },
    Dataset {
        name: "plateaus",
        description: "readings with three decimal digits that stay the same for up to 40 values",
        start: |_| {
            let (mut thousandths, mut left) = (20_000, 0);
            reals(move |random| {
                if left == 0 {
                    left = 1 + below(random, 40);
                    thousandths += below(random, 401) - 200;
                }
                left -= 1;
                thousandths as f64 / 1000.0
            })
        },
    },
    Dataset {
        name: "letters",
        description: "lower-case text",
        start: |_| Sequence::Text(letter),
    },
    Dataset {
        name: "prose",
        description: "text of words, spaces and punctuation",
        start: |_| {
            Sequence::Text(|random| match below(random, 7) {
                0 => one_of(random, "      ,.;:'!?()-"),
                _ => letter(random),
            })
        },
    },
    Dataset {
        name: "urls",
        description: "addresses of web pages, one in each line",
        start: lines::urls,
    },
    Dataset {
        name: "escapes_1",
        description: "text in which 1% of the characters need an escape in JSON",
        start: |_| Sequence::Text(escapes::<1>),
    },
    Dataset {
        name: "escapes_10",
        description: "text in which 10% of the characters need an escape in JSON",
        start: |_| Sequence::Text(escapes::<10>),
    },
    Dataset {
        name: "escapes_50",
        description: "text in which half of the characters need an escape in JSON",
        start: |_| Sequence::Text(escapes::<50>),
    },
    Dataset {
        name: "latin",
        description: "text of letters, 5% of them with accents, two bytes each",
        start: |_| {
            Sequence::Text(|random| match below(random, 20) {
                0 => accented(random),
                _ => letter(random),
            })
        },
    },
    Dataset {
        name: "cjk",
        description: "text of Chinese characters, three bytes each",
        start: |_| Sequence::Text(chinese),
    },
    Dataset {
        name: "emoji",
        description: "text of emoji, four bytes each",
        start: |_| Sequence::Text(emoji),
    },
    Dataset {
        name: "mixed_text",
        description: "text of letters, half of them of two to four bytes in any order",
        start: |_| {
            Sequence::Text(|random| match below(random, 6) {
                0 => accented(random),
                1 => chinese(random),
                2 => emoji(random),
                _ => letter(random),
            })
        },
    },
];

fn letter(random: &mut Xoshiro256PlusPlus) -> char {
    one_of(random, "abcdefghijklmnopqrstuvwxyz")
}

fn accented(random: &mut Xoshiro256PlusPlus) -> char {
    character(0xe0 + below(random, 0x20))
}

fn chinese(random: &mut Xoshiro256PlusPlus) -> char {
    character(0x4e00 + below(random, 0x5000))
}

fn emoji(random: &mut Xoshiro256PlusPlus) -> char {
    character(0x1_f600 + below(random, 0x40))
}

/// Returns mostly the five characters that are frequent in texts; one in 16 is a control character
/// without a letter.
fn escapes<const PERCENT: i64>(random: &mut Xoshiro256PlusPlus) -> char {
    if below(random, 100) < PERCENT {
        one_of(random, "\"\"\"\"\"\\\\\\\\\n\n\n\n\t\r\u{1b}")
    } else {
        letter(random)
    }
}

fn one_of(random: &mut Xoshiro256PlusPlus, ascii: &str) -> char {
    char::from(ascii.as_bytes()[below(random, ascii.len() as u32) as usize])
}

fn character(code: i64) -> char {
    char::from_u32(code as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn integers(next: impl FnMut(&mut Xoshiro256PlusPlus) -> i64 + 'static) -> Sequence {
    Sequence::Integers(Box::new(next))
}

fn reals(next: impl FnMut(&mut Xoshiro256PlusPlus) -> f64 + 'static) -> Sequence {
    Sequence::Reals(Box::new(next))
}

/// Returns a uniform number from 0 to `limit - 1`, up to a bias that no benchmark notices.
fn below(random: &mut Xoshiro256PlusPlus, limit: u32) -> i64 {
    (((random.next_u64() >> 32) * u64::from(limit)) >> 32) as i64
}

/// Returns a uniform number above 0 and at most 1.
fn unit(random: &mut Xoshiro256PlusPlus) -> f64 {
    ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

impl Dataset {
    /// Generates `values` values of type `element` from `seed`, which are
    /// `values * element.width()` bytes.
    #[must_use]
    pub fn generate(&self, element: ElementType, values: usize, seed: u64) -> Vec<u8> {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(seed);
        (self.start)(random).take(element, values, random)
    }
}

impl FromStr for &'static Dataset {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        DATASETS
            .iter()
            .find(|dataset| dataset.name == name)
            .ok_or_else(|| UnknownName {
                kind: "data set",
                name: name.to_owned(),
                known: DATASETS.iter().map(|dataset| dataset.name).collect(),
            })
    }
}

#[cfg(test)]
mod tests;
