//! Takes counts and bounds of columns from footers.

use super::column::first;
use super::described::ColumnStats;
use arrow_array::ArrayRef;
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Fields, Schema};
use arrow_select::concat::concat;
use bytelane_parquet::Result;
use bytelane_parquet::filter::exact_bounds;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use std::collections::HashMap;

/// Counts and bounds of a column, or of a member of a struct. Values are arrays with one row.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ColumnBounds {
    /// Path of the column.
    pub path: String,
    /// Type of the values.
    pub data_type: DataType,
    /// Number of rows.
    pub rows: u64,
    /// Number of nulls.
    pub nulls: u64,
    /// Least and greatest value, unless there is none, or the type has no order.
    pub bounds: Option<[ArrayRef; 2]>,
}

impl From<ColumnStats> for ColumnBounds {
    fn from(column: ColumnStats) -> Self {
        Self {
            path: column.path,
            data_type: column.data_type,
            rows: column.rows,
            nulls: column.nulls,
            bounds: column.bounds,
        }
    }
}

/// Counts and bounds of the columns of a table, from the footers of its files.
///
/// ```
/// use bytelane_parquet::arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use bytelane_parquet::{ReaderBuilder, Writer, WriterOptions};
/// use bytelane_parquet_files::stats::Footers;
/// use bytes::Bytes;
/// use std::sync::Arc;
///
/// let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(4)]));
/// let batch = RecordBatch::try_from_iter([("number", numbers)])?;
/// let mut file = Vec::new();
/// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
/// writer.write(&batch)?;
/// writer.close()?;
///
/// let file = ReaderBuilder::try_new(Bytes::from(file))?;
/// let mut footers = Footers::new(file.schema());
/// footers.add(file.metadata(), file.schema())?;
/// assert!(footers.unknown().is_empty());
/// let [number] = &footers.finish()[..] else { panic!() };
/// assert_eq!((number.rows, number.nulls), (3, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Footers(Vec<Known>);

/// Column whose counts and bounds are known so far.
struct Known {
    names: Vec<String>,
    is_known: bool,
    column: ColumnBounds,
}

impl Footers {
    /// Begins without files.
    #[must_use]
    pub fn new(columns: &Schema) -> Self {
        let mut all = Vec::new();
        each_leaf(columns.fields(), &mut Vec::new(), &mut |names, field| {
            all.push(Known {
                names: names.to_vec(),
                is_known: true,
                column: ColumnBounds {
                    path: names.join("."),
                    data_type: value_type(field).clone(),
                    rows: 0,
                    nulls: 0,
                    bounds: None,
                },
            });
        });
        Self(all)
    }

    /// Adds a file, whose columns have these types.
    ///
    /// # Errors
    ///
    /// [`Problem::Arrow`](bytelane_parquet::Problem::Arrow) for bounds that their type cannot hold.
    pub fn add(&mut self, file: &ParquetMetaData, columns: &Schema) -> Result<()> {
        // The first of several columns with one name counts.
        let mut types = HashMap::new();
        each_leaf(columns.fields(), &mut Vec::new(), &mut |names, field| {
            let data_type = || value_type(field).clone();
            types.entry(names.to_vec()).or_insert_with(data_type);
        });
        let leaves = file.file_metadata().schema_descr().columns();
        let leaves = leaves.iter().enumerate().rev();
        let leaves: HashMap<&[String], usize> = leaves
            .map(|(leaf, column)| (column.path().parts(), leaf))
            .collect();
        for known in &mut self.0 {
            let own = types.get(&known.names);
            let leaf = leaves.get(&known.names[..]).copied();
            for row_group in file.row_groups() {
                known.is_known = known.is_known
                    && match (own, leaf) {
                        (Some(own), Some(leaf)) if *own == known.column.data_type => {
                            known.column.add(file, row_group, leaf)?
                        }
                        // Columns that a file lacks, and of other types than those of the table.
                        _ => false,
                    };
            }
        }
        Ok(())
    }

    /// Returns the paths of the columns whose values have to be read, because footers do not tell them.
    #[must_use]
    pub fn unknown(&self) -> Vec<&str> {
        let unknown = self.0.iter().filter(|known| !known.is_known);
        unknown.map(|known| known.column.path.as_str()).collect()
    }

    /// Returns all columns. The counts and bounds of unknown ones are unspecified.
    #[must_use]
    pub fn finish(self) -> Vec<ColumnBounds> {
        self.0.into_iter().map(|known| known.column).collect()
    }
}

impl ColumnBounds {
    /// Adds a row group. Returns false if its statistics do not tell the number of nulls and the bounds.
    fn add(
        &mut self,
        file: &ParquetMetaData,
        row_group: &RowGroupMetaData,
        leaf: usize,
    ) -> Result<bool> {
        let chunk = row_group.column(leaf);
        let (column, order) = (
            chunk.column_descr(),
            file.file_metadata().column_order(leaf),
        );
        let statistics = chunk.statistics();
        let nulls = statistics.and_then(|it| it.null_count_opt());
        let rows = u64::try_from(row_group.num_rows()).ok();
        let (Some(statistics), Some(nulls), Some(rows)) = (statistics, nulls, rows) else {
            return Ok(false);
        };
        // The values of lists are not rows.
        if column.max_rep_level() > 0 || nulls > rows {
            return Ok(false);
        }
        self.rows = self.rows.saturating_add(rows);
        self.nulls = self.nulls.saturating_add(nulls);
        if nulls == rows {
            return Ok(true);
        }
        let Some(bounds) = exact_bounds(&self.data_type, column, order, statistics)? else {
            return Ok(false);
        };
        let known = self.bounds.take();
        let mut united = Vec::new();
        for (at, bound) in bounds.iter().enumerate() {
            let bound = cast(bound, &self.data_type)?;
            united.push(match &known {
                Some(known) => first(&concat(&[&known[at], &bound])?, at == 1)?,
                None => bound,
            });
        }
        self.bounds = united.try_into().ok();
        Ok(true)
    }
}

fn value_type(field: &Field) -> &DataType {
    match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Visits columns and the members of structs with their names.
fn each_leaf(fields: &Fields, names: &mut Vec<String>, see: &mut impl FnMut(&[String], &Field)) {
    for field in fields {
        names.push(field.name().clone());
        match field.data_type() {
            DataType::Struct(members) => each_leaf(members, names, see),
            _ => see(names, field),
        }
        names.pop();
    }
}
