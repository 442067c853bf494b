//! The common row type: every benchmark of the project writes it.

use crate::rounds::{Measurement, Rounds, Subject};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{self, Write};

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Codec, e.g. `byte_stream_split`.
    pub codec: String,
    /// Parameters of the codec, if it has any, e.g. `width=4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// Operation, e.g. `encode`.
    pub operation: String,
    /// Type of a value, e.g. `f32`.
    #[serde(rename = "type")]
    pub element_type: String,
    /// Name of the data.
    pub data: String,
    /// Instruction set, e.g. `avx2`, or other worker, e.g. `memcpy`.
    pub backend: String,
    /// Library, if it is not bytelane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Number of values per call.
    pub values: u64,
    /// Size of these values in memory, decoded, in bytes.
    pub bytes: u64,
    /// True if inputs and outputs were evicted from the caches before each call.
    pub evicted: bool,
    /// Nanoseconds per call: the median.
    pub ns: f64,
    /// `bytes / ns`.
    pub gb_per_s: f64,
    /// `bytes` divided by the time in which `memcpy` copied them in the same rounds.
    pub memcpy_gb_per_s: f64,
    /// `gb_per_s / memcpy_gb_per_s`: the figure that is comparable between machines.
    pub of_memcpy: f64,
    /// Distance between the quartiles of the rounds, as a share of the median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Further fields, added by a codec, a command or a comparison.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Properties of a row's input, apart from the worker and the speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// See [`Row::codec`].
    pub codec: String,
    /// See [`Row::parameters`]; empty if there are none.
    pub parameters: String,
    /// See [`Row::operation`].
    pub operation: String,
    /// See [`Row::element_type`].
    pub element_type: String,
    /// See [`Row::data`].
    pub data: String,
    /// See [`Row::values`].
    pub values: u64,
    /// See [`Row::bytes`].
    pub bytes: u64,
    /// See [`Row::evicted`].
    pub evicted: bool,
}

impl Workload {
    /// Measures subjects, the first of which is `memcpy`, in interleaved rounds. Returns a row for each.
    #[must_use]
    pub fn measure(&self, rounds: &Rounds, subjects: Vec<Subject<'_>>) -> Vec<Row> {
        let measured = rounds.measure(subjects);
        let rows = measured.iter().map(|it| self.row(it, &measured[0]));
        rows.collect()
    }

    /// Returns the row of one measurement of this workload; `memcpy` is that of the same rounds.
    /// The measurement's name becomes the backend.
    ///
    /// ```
    /// use bytelane_measure::{rounds::Measurement, row::Workload};
    /// let workload = Workload {
    ///     codec: "big_endian".into(), parameters: "width=4".into(), operation: "encode".into(),
    ///     element_type: "u32".into(), data: "random".into(), values: 1000, bytes: 4000, evicted: false,
    /// };
    /// let took = |name: &str, nanoseconds| Measurement { name: name.into(), nanoseconds, spread: 0.0 };
    /// let row = workload.row(&took("avx2", 125.0), &took("memcpy", 100.0));
    /// assert_eq!((row.gb_per_s, row.of_memcpy), (32.0, 0.8));
    /// ```
    #[must_use]
    pub fn row(&self, measured: &Measurement, memcpy: &Measurement) -> Row {
        let bytes = self.bytes as f64;
        Row {
            codec: self.codec.clone(),
            parameters: Some(self.parameters.clone()).filter(|text| !text.is_empty()),
            operation: self.operation.clone(),
            element_type: self.element_type.clone(),
            data: self.data.clone(),
            backend: measured.name.clone(),
            library: None,
            values: self.values,
            bytes: self.bytes,
            evicted: self.evicted,
            ns: measured.nanoseconds,
            gb_per_s: bytes / measured.nanoseconds,
            memcpy_gb_per_s: bytes / memcpy.nanoseconds,
            of_memcpy: memcpy.nanoseconds / measured.nanoseconds,
            spread: Some(measured.spread),
            extra: Map::new(),
        }
    }
}

impl Row {
    /// Returns an example, for tests: a worker that needs `ns` nanoseconds for work that takes `memcpy` 100.
    #[doc(hidden)]
    #[must_use]
    pub fn example(backend: &str, values: u64, ns: f64) -> Self {
        let workload = Workload {
            codec: "byte_stream_split".into(),
            parameters: String::new(),
            operation: "encode".into(),
            element_type: "f32".into(),
            data: "random".into(),
            values,
            bytes: 4 * values,
            evicted: false,
        };
        let took = |nanoseconds| Measurement {
            name: backend.into(),
            nanoseconds,
            spread: 0.01,
        };
        workload.row(&took(ns), &took(100.0))
    }

    /// Returns the row with an additional key.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(key.to_owned(), value.into());
        self
    }

    /// Returns the worker: the library if it is not bytelane, and the backend.
    #[must_use]
    pub fn worker(&self) -> String {
        match &self.library {
            Some(library) if self.backend.is_empty() => library.clone(),
            Some(library) => format!("{library} {}", self.backend),
            None => self.backend.clone(),
        }
    }
}

/// Writes each row as a JSON object on a line of its own.
///
/// # Errors
/// The errors of `out`.
pub fn write_json(rows: &[Row], out: &mut impl Write) -> io::Result<()> {
    rows.iter().try_for_each(|row| {
        serde_json::to_writer(&mut *out, row)?;
        out.write_all(b"\n")
    })
}

/// Writes rows as comma-separated values, with a header of the keys of all rows. A key that a row lacks is empty.
///
/// # Errors
/// The errors of `out`.
pub fn write_csv(rows: &[Row], out: &mut impl Write) -> io::Result<()> {
    let objects = rows.iter().map(object).collect::<io::Result<Vec<_>>>()?;
    let mut columns: Vec<&String> = Vec::new();
    for key in objects.iter().flat_map(Map::keys) {
        if !columns.contains(&key) {
            columns.push(key);
        }
    }
    let mut writer = csv::Writer::from_writer(out);
    if !columns.is_empty() {
        writer.write_record(&columns)?;
    }
    for object in &objects {
        writer.write_record(columns.iter().map(|&column| match object.get(column) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }))?;
    }
    writer.flush()
}

/// Reads the rows that [`write_csv`] has written.
///
/// # Errors
/// A row that lacks a field or has a wrong one, with its line.
pub fn read_csv(text: &[u8]) -> io::Result<Vec<Row>> {
    let mut rows: Vec<Row> = csv::Reader::from_reader(text)
        .deserialize()
        .collect::<Result<_, _>>()?;
    // An empty field is that of a key that the row lacks.
    for row in &mut rows {
        for field in [&mut row.parameters, &mut row.library] {
            field.take_if(|text| text.is_empty());
        }
        row.extra.retain(|_, value| value != "");
    }
    Ok(rows)
}

fn object(row: &Row) -> io::Result<Map<String, Value>> {
    match serde_json::to_value(row)? {
        Value::Object(object) => Ok(object),
        other => Err(io::Error::other(format!("a row is an object, not {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_flat_object_and_reads_back() {
        let row = Row::example("avx2", 1024, 200.0).with("ratio", 1.25);
        let text = serde_json::to_string(&row).unwrap();
        let object: Map<String, Value> = serde_json::from_str(&text).unwrap();
        let keys: Vec<&str> = object.keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "codec",
                "operation",
                "type",
                "data",
                "backend",
                "values",
                "bytes",
                "evicted",
                "ns",
                "gb_per_s",
                "memcpy_gb_per_s",
                "of_memcpy",
                "spread",
                "ratio"
            ]
        );
        assert_eq!(object["of_memcpy"], 0.5);
        assert_eq!(serde_json::from_str::<Row>(&text).unwrap(), row);
    }

    #[test]
    fn a_library_goes_before_its_backend() {
        let mut row = Row::example("avx2", 1, 1.0);
        assert_eq!(row.worker(), "avx2");
        row.library = Some("arrow".into());
        assert_eq!(row.worker(), "arrow avx2");
        row.backend.clear();
        assert_eq!(row.worker(), "arrow");
    }

    #[test]
    fn csv_has_the_keys_of_all_rows() {
        let mut out = Vec::new();
        let rows = [
            Row::example("a,b", 1, 1.0),
            Row::example("avx2", 1, 1.0).with("ratio", 1.5),
        ];
        write_csv(&rows, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        assert!(
            header.starts_with("codec,operation,type,data,backend,values,"),
            "{header}"
        );
        assert!(header.ends_with(",of_memcpy,spread,ratio"), "{header}");
        let first = lines.next().unwrap();
        assert!(
            first.contains(",\"a,b\",") && first.ends_with(",0.01,"),
            "{first}"
        );
        assert!(lines.next().unwrap().ends_with(",0.01,1.5"));
        assert_eq!(read_csv(text.as_bytes()).unwrap(), rows);
    }

    #[test]
    fn json_is_one_object_a_line() {
        let rows = [
            Row::example("scalar", 1024, 1000.0),
            Row::example("avx2", 1024, 125.0),
        ];
        let mut out = Vec::new();
        write_json(&rows, &mut out).unwrap();
        let lines = std::str::from_utf8(&out).unwrap().lines();
        let read = lines.map(|line| serde_json::from_str(line).unwrap());
        assert_eq!(read.collect::<Vec<Row>>(), rows);
    }
}
