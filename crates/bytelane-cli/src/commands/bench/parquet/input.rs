//! Inputs of `bytelane bench parquet`: raw arrays in files, and generated ones.

use crate::readable;
use anyhow::{Context, bail};
use arrow_array::{ArrayRef, Float32Array, Float64Array, Int32Array, Int64Array};
use bytelane_measure::data::{Dataset, ElementType, discrete_gaussian};
use bytelane_parquet_files::advise::RAW_ENDINGS;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Synthetic data sets in place of the published files.
const STAND_INS: [(&str, ElementType); 8] = [
    ("messages", ElementType::F64),
    ("messages", ElementType::F32),
    ("field", ElementType::F64),
    ("smooth", ElementType::F32),
    ("decimals", ElementType::F64),
    ("decimals", ElementType::F32),
    ("repeated", ElementType::F64),
    ("random", ElementType::F64),
];

/// Standard deviations of the discrete Gaussian in the sweep: entropies of about 1 to 17 bits.
const DEVIATIONS: [f64; 9] = [0.5, 2.0, 8.0, 32.0, 128.0, 512.0, 2048.0, 8192.0, 32_768.0];

/// Column of numbers, not yet read or generated.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// File with a known extension.
    File(PathBuf),
    /// Data set with this number of values.
    Generated {
        dataset: &'static str,
        element: ElementType,
        values: usize,
    },
    /// Rounded samples of a Gaussian, whose entropy is also measured.
    Gaussian { deviation: f64, values: usize },
}

impl Input {
    /// Returns arrays in place of the published files.
    pub fn stand_ins(values: usize) -> Vec<Self> {
        let inputs = STAND_INS.iter().map(|&(dataset, element)| Self::Generated {
            dataset,
            element,
            values,
        });
        inputs.collect()
    }

    /// Returns arrays of increasing entropy.
    pub fn sweep(values: usize) -> Vec<Self> {
        let inputs = DEVIATIONS.iter();
        inputs
            .map(|&deviation| Self::Gaussian { deviation, values })
            .collect()
    }

    /// Returns the name in rows and tables.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => match path.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => path.display().to_string(),
            },
            Self::Generated {
                dataset, element, ..
            } => format!("{dataset}.{element}"),
            Self::Gaussian { deviation, .. } => format!("gaussian_{deviation}.f64"),
        }
    }

    /// Reads or generates the numbers.
    pub fn load(&self) -> anyhow::Result<Column> {
        let seed = 1;
        let (element, bytes) = match *self {
            Self::File(ref path) => (element_of(path)?, read(path)?),
            Self::Generated {
                dataset,
                element,
                values,
            } => {
                let dataset: &Dataset = dataset.parse()?;
                (element, dataset.generate(element, values, seed))
            }
            Self::Gaussian { deviation, values } => {
                let element = ElementType::F64;
                (element, discrete_gaussian(element, deviation, values, seed))
            }
        };
        let array =
            array(element, &bytes).with_context(|| readable::line(&self.name()).into_owned())?;
        let is_sweep = matches!(self, Self::Gaussian { .. });
        Ok(Column {
            name: self.name(),
            element,
            entropy_bits: is_sweep.then(|| entropy(&bytes, element.width())),
            bytes: bytes.len(),
            array,
        })
    }
}

/// Numbers in memory.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub element: ElementType,
    pub array: ArrayRef,
    /// Bytes of the numbers.
    pub bytes: usize,
    /// Entropy in bits per number, if it is of interest.
    pub entropy_bits: Option<f64>,
}

fn element_of(path: &Path) -> anyhow::Result<ElementType> {
    let ending = path.extension().unwrap_or_default();
    let found = RAW_ENDINGS.iter().find(|(known, _)| ending == *known);
    match found.map(|(_, name)| *name) {
        Some("f4") => Ok(ElementType::F32),
        Some("f8") => Ok(ElementType::F64),
        Some("i4") => Ok(ElementType::I32),
        Some("i8") => Ok(ElementType::I64),
        _ => bail!(
            "{}: the file extension must say what the numbers are; supported: {}",
            readable::path(path),
            RAW_ENDINGS
                .map(|(ending, _)| format!(".{ending}"))
                .join(" ")
        ),
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", readable::path(path)))
}

fn array(element: ElementType, bytes: &[u8]) -> anyhow::Result<ArrayRef> {
    if bytes.is_empty() || !bytes.len().is_multiple_of(element.width()) {
        bail!(
            "{} bytes is not a multiple of the value size, {} bytes",
            bytes.len(),
            element.width()
        );
    }
    /// Converts little-endian bytes to numbers.
    macro_rules! numbers {
        ($array:ty, $number:ty) => {{
            let (numbers, _) = bytes.as_chunks();
            let numbers = numbers.iter().map(|&bytes| <$number>::from_le_bytes(bytes));
            Arc::new(<$array>::from_iter_values(numbers))
        }};
    }
    Ok(match element {
        ElementType::F32 => numbers!(Float32Array, f32),
        ElementType::F64 => numbers!(Float64Array, f64),
        ElementType::I32 => numbers!(Int32Array, i32),
        ElementType::I64 => numbers!(Int64Array, i64),
        other => bail!("columns of the type {other} cannot be measured"),
    })
}

/// Computes the zero-order entropy in bits per value, from the frequency of each value.
fn entropy(bytes: &[u8], width: usize) -> f64 {
    let mut counts: HashMap<&[u8], u64> = HashMap::new();
    for value in bytes.chunks_exact(width) {
        *counts.entry(value).or_default() += 1;
    }
    let values = (bytes.len() / width) as f64;
    let bits = counts.values().map(|&count| {
        let share = count as f64 / values;
        -share * share.log2()
    });
    bits.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entropy_of_coins_and_dice() {
        let coins: Vec<u8> = [0_u32, 1]
            .repeat(500)
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        assert!((entropy(&coins, 4) - 1.0).abs() < 1e-9);
        let same = [7_u8; 80];
        assert!(entropy(&same, 8).abs() < 1e-9);
    }

    #[test]
    fn the_sweep_goes_from_one_bit_to_seventeen() {
        let entropies: Vec<f64> = Input::sweep(100_000)
            .iter()
            .map(|input| input.load().unwrap().entropy_bits.unwrap())
            .collect();
        assert!(entropies.is_sorted(), "{entropies:?}");
        assert!(entropies[0] < 1.5 && entropies[8] > 15.0, "{entropies:?}");
    }

    #[test]
    fn files_that_hold_no_whole_numbers_are_refused() {
        assert!(array(ElementType::F64, &[0; 12]).is_err());
        assert!(array(ElementType::F64, &[]).is_err());
        assert!(
            element_of(Path::new("numbers.csv"))
                .unwrap_err()
                .to_string()
                .contains(".f64")
        );
        assert_eq!(
            element_of(Path::new("msg_bt.sp")).unwrap(),
            ElementType::F32
        );
    }
}
