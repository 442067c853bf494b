//! Row of `validity`, and the bitmaps with which it spreads values.

use crate::number_stream::decode_fixed;
use crate::numbers::{Number, NumberCodec, numbers, numbers_mut};
use crate::stream::{AT_A_TIME, AlignedBytes, Io, StreamError, pieces};
use crate::{
    Codec, Decoded, Entry, Experiment, Failure, Length, Parameter, Parameters, SpecificationError,
};
use bytelane::validity::{Element, Format, Level, values};
use bytelane::{Backend, Detected};
use std::borrow::Cow;
use std::io::{Read, Write};
use std::marker::PhantomData;

pub(crate) const ENTRY: Entry = Entry {
    name: "validity",
    summary: "definition levels to bitmaps; values spread over places with nulls, and compacted",
    parameters: &[
        Parameter {
            name: "max_level",
            default: Some("none"),
            help: "the greatest definition level: levels are encoded as a bitmap; a null is decoded as the level below it",
        },
        Parameter {
            name: "type",
            default: Some("u16"),
            help: "type of the levels: u8 or u16",
        },
        Parameter {
            name: "spread",
            default: Some("none"),
            help: "in place of max_level, a type of values: u8, u16, f32 or f64; encoding spreads them, decoding compacts them",
        },
        Parameter {
            name: "nulls",
            default: Some("10"),
            help: "with spread, the percentage of nulls in a synthetic bitmap, from 0 to 90",
        },
        Parameter {
            name: "count",
            default: Some("unknown"),
            help: "number of levels to decode, which is not stored",
        },
    ],
    open: |parameters| {
        let nulls = parameters.get("nulls", |&nulls: &u32| nulls <= 90)?;
        let spread: String = parameters.get("spread", |spread: &String| {
            ["none", "u8", "u16", "f32", "f64"].contains(&spread.as_str())
        })?;
        let levels: String = parameters.get("type", |levels: &String| {
            ["u8", "u16"].contains(&levels.as_str())
        })?;
        match (spread.as_str(), levels.as_str()) {
            ("none", "u8") => open_levels::<u8>(parameters),
            ("none", _) => open_levels::<u16>(parameters),
            ("u8", _) => open_spread::<u8>(nulls, parameters),
            ("u16", _) => open_spread::<u16>(nulls, parameters),
            ("f32", _) => open_spread::<f32>(nulls, parameters),
            _ => open_spread::<f64>(nulls, parameters),
        }
    },
    cases: &[
        "max_level=1",
        "max_level=1,type=u8",
        "spread=u8,nulls=10",
        "spread=u16,nulls=50",
        "spread=f32,nulls=0",
        "spread=f32,nulls=10",
        "spread=f32,nulls=90",
        "spread=f64,nulls=1",
        "spread=f64,nulls=50",
    ],
    experiments: &[
        Experiment {
            title: "Definition levels and bitmaps",
            cases: &["max_level=1", "max_level=1,type=u8"],
            data: &["bits_1"],
            values: VALUES,
            evicted: false,
        },
        Experiment {
            title: "Values with nulls",
            cases: &[
                "spread=f32,nulls=0",
                "spread=f32,nulls=1",
                "spread=f32,nulls=10",
                "spread=f32,nulls=50",
                "spread=f64,nulls=0",
                "spread=f64,nulls=1",
                "spread=f64,nulls=10",
                "spread=f64,nulls=50",
            ],
            data: &["random"],
            values: VALUES,
            evicted: false,
        },
    ],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::validity::open),
};

const VALUES: &[usize] = &[64, 1024, 20_000];

fn open_levels<T: Level + Number>(
    parameters: &Parameters<'_>,
) -> Result<Box<dyn Codec>, SpecificationError> {
    let max = parameters.get("max_level", |&max: &u16| Format::<T>::new(max).is_some())?;
    Ok(Box::new(Levels {
        format: Format::<T>::new(max).expect("it was accepted"),
        count: parameters.optional("count", |_| true)?,
    }))
}

fn open_spread<T: Element + Number>(
    nulls: u32,
    parameters: &Parameters<'_>,
) -> Result<Box<dyn Codec>, SpecificationError> {
    // Values to spread have no levels.
    parameters.get("max_level", |max: &String| max == "none")?;
    parameters.get("count", |count: &String| count == "unknown")?;
    Ok(Box::new(Spread::<T>(Places::new(nulls), PhantomData)))
}

struct Levels<T> {
    format: Format<T>,
    count: Option<usize>,
}

impl<T: Level + Number> NumberCodec for Levels<T> {
    type Number = T;

    fn data(&self) -> &'static [&'static str] {
        &["bits_1", "runs_1"]
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        self.format.encoded_len(count)
    }

    fn max_count(&self, encoded: usize) -> usize {
        encoded.saturating_mul(8)
    }

    fn encode(&self, backend: Detected, levels: &[T], to: &mut [u8]) -> Length {
        let (bitmap, _) = self.format.encode_with(backend, levels, to)?;
        Ok(bitmap.len())
    }

    fn decode(&self, backend: Detected, from: &[u8], to: &mut [T]) -> Length {
        Ok(self.format.decode_with(backend, from, to)?.1)
    }

    /// Returns a multiple of eight levels, so that pieces end at a byte boundary.
    fn piece(&self) -> Option<usize> {
        Some(AT_A_TIME)
    }

    fn decode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError> {
        let encoded_len = |count| self.format.encoded_len(count);
        let mut rest = decode_fixed(self.count, io, encoded_len, |encoded, _, to| {
            NumberCodec::decode(self, backend, encoded, to)
        })?;
        rest.fill(1)?;
        if rest.bytes().is_empty() {
            Ok(())
        } else {
            let offset = rest.offset();
            let error = format!("offset {offset}: bytes follow that of the last level");
            Err(Failure::from(error).into())
        }
    }
}

/// A synthetic bitmap, the same on every machine, with a given share of nulls. It repeats after a
/// while, so its length is unlimited.
#[derive(Debug)]
pub struct Places {
    bitmap: Vec<u8>,
    /// Position after each value.
    after: Vec<usize>,
}

impl Places {
    /// Number of bits before the pattern repeats.
    const PERIOD: usize = 1 << 16;

    /// Creates a bitmap in which about `nulls` percent of the bits are not set.
    #[must_use]
    pub fn new(nulls: u32) -> Self {
        let mut state = 1_u64;
        let mut random = || {
            let product = u128::from(state) * 0xda94_2042_e4dd_58b5;
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            (product >> 64) as u64 ^ product as u64
        };
        // The share of set bits, as a fixed-point number. Each of its bits, from the lowest one on,
        // halves the difference to 0 or 1.
        let share = (100 - u64::from(nulls.min(100))) * 0xffff / 100;
        let mut word = || match nulls {
            0 => u64::MAX,
            _ => (0..16).fold(0, |word, bit| match share >> bit & 1 {
                0 => word & random(),
                _ => word | random(),
            }),
        };
        let words = (0..Self::PERIOD / 64).map(|_| word().to_le_bytes());
        let bitmap = words.collect::<Vec<_>>().concat();
        let is_set = |place: &usize| bitmap[place / 8] >> (place % 8) & 1 != 0;
        let after = (0..Self::PERIOD).filter(is_set).map(|place| place + 1);
        let after = after.collect();
        Self { bitmap, after }
    }

    /// Returns the number of positions up to the last one of `count` values.
    #[must_use]
    pub fn of_values(&self, count: usize) -> usize {
        match count.checked_sub(1) {
            None => 0,
            Some(last) => {
                let in_period = self.after.len();
                last / in_period * Self::PERIOD + self.after[last % in_period]
            }
        }
    }

    /// Returns the bitmap of `places` positions.
    #[must_use]
    pub fn bitmap(&self, places: usize) -> Cow<'_, [u8]> {
        let bytes = places.div_ceil(8);
        match self.bitmap.get(..bytes) {
            Some(bitmap) => bitmap.into(),
            None => self.bitmap.iter().copied().cycle().take(bytes).collect(),
        }
    }
}

/// Values of a synthetic column: dense ones, and one for each of its positions.
struct Spread<T>(Places, PhantomData<T>);

impl<T: Element + Number> Codec for Spread<T> {
    fn element(&self) -> String {
        T::NAME.to_owned()
    }

    fn width(&self) -> usize {
        size_of::<T>()
    }

    fn data(&self) -> &'static [&'static str] {
        &["random"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        self.0.of_values(values / size_of::<T>()) * size_of::<T>()
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded
    }

    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length {
        let dense = numbers::<T>(values)?;
        let places = self.0.of_values(dense.len());
        let bitmap = self.0.bitmap(places);
        let length = places * size_of::<T>();
        let given = to.len();
        let room = to.get_mut(..length).ok_or_else(|| {
            format!("the result needs {length} bytes, but the destination has {given}")
        })?;
        let backend = Detected::new(backend)?;
        spread(backend, dense, &bitmap, room)?;
        Ok(length)
    }

    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure> {
        let dense = numbers_mut::<T>(to)?;
        let places = self.0.of_values(dense.len());
        let bitmap = self.0.bitmap(places);
        let read = places * size_of::<T>();
        let given = from.len();
        let spread = from
            .get(..read)
            .ok_or_else(|| format!("the places need {read} bytes, but there are {given}"))?;
        let backend = Detected::new(backend)?;
        let written = compact(backend, spread, &bitmap, dense)? * size_of::<T>();
        Ok(Decoded { read, written })
    }

    /// Each piece begins with the first bit of the bitmap.
    fn piece(&self) -> Option<usize> {
        Some(AT_A_TIME)
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let places = self.0.of_values(AT_A_TIME / size_of::<T>());
        let mut dense = AlignedBytes::default();
        pieces(input, Some(places * size_of::<T>()), |encoded| {
            let places = encoded.len() / size_of::<T>();
            let valid = values::count_valid(&self.0.bitmap(places), places);
            dense.resize(valid.map_err(Failure::from)? * size_of::<T>());
            let read = self.decode(backend, encoded, &mut dense)?.read;
            if read < encoded.len() {
                let error = format!("offset {read}: no value has the last place");
                return Err(Failure::from(error).into());
            }
            output.write_all(&dense).map_err(StreamError::Write)
        })
    }
}

/// Spreads values given as bytes, which need not be aligned.
fn spread<T: Element + Number>(
    backend: Detected,
    dense: &[T],
    bitmap: &[u8],
    to: &mut [u8],
) -> Result<(), Failure> {
    if let Ok(to) = bytemuck::try_cast_slice_mut::<u8, T>(to) {
        values::spread_with(backend, dense, bitmap, to)?;
        return Ok(());
    }
    let mut values = vec![T::zeroed(); to.len() / size_of::<T>()];
    values::spread_with(backend, dense, bitmap, &mut values[..])?;
    to.copy_from_slice(bytemuck::cast_slice(&values));
    Ok(())
}

/// Compacts values given as bytes, which need not be aligned.
fn compact<T: Element + Number>(
    backend: Detected,
    from: &[u8],
    bitmap: &[u8],
    dense: &mut [T],
) -> Result<usize, Failure> {
    if let Ok(values) = bytemuck::try_cast_slice::<u8, T>(from) {
        return Ok(values::compact_with(backend, values, bitmap, dense)?.len());
    }
    let mut values = vec![T::zeroed(); from.len() / size_of::<T>()];
    bytemuck::cast_slice_mut(&mut values).copy_from_slice(from);
    Ok(values::compact_with(backend, &values, bitmap, dense)?.len())
}
