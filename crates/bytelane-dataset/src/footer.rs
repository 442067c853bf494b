//! Reduces footers to the data that a plan needs, so that those of a large data set fit into
//! memory.

use crate::hash::hash;
use crate::listing::SourceFile;
use crate::root::Root;
use crate::{Error, Result};
use bytelane_parquet::parquet::arrow::arrow_reader::ArrowReaderOptions;
use bytelane_parquet::parquet::basic::{Encoding, SortOrder, Type};
use bytelane_parquet::parquet::data_type::AsBytes;
use bytelane_parquet::parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use bytelane_parquet::parquet::file::statistics::Statistics;
use bytelane_parquet::parquet::schema::printer::print_schema;
use bytelane_parquet::parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use bytelane_parquet::{InputFile, ReaderBuilder, RemoteFile};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

/// Footer of a file.
pub(crate) struct Footer {
    pub rows: u64,
    pub row_groups: usize,
    /// Columns with their types, one per line.
    pub schema: String,
    /// Hash of the schema and of the encodings and compression of all columns.
    pub class: u128,
    /// Sort order of its rows, if all row groups declare the same one.
    pub sorting: Option<Sorting>,
    /// Name that two columns have.
    pub repeated: Option<String>,
}

/// Sort order that a file declares for its rows.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sorting {
    /// Number of each leaf to sort by, and whether it is descending, and nulls come first.
    by: Vec<(i32, bool, bool)>,
    /// First and last value of the first column, if known from statistics and the row groups are in
    /// order.
    range: Option<(Bound, Bound)>,
}

/// Value of a column, comparable in the order of its type.
#[derive(Clone, PartialEq, Debug)]
enum Bound {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Bytes(Vec<u8>),
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Signed(one), Self::Signed(other)) => one.partial_cmp(other),
            (Self::Unsigned(one), Self::Unsigned(other)) => one.partial_cmp(other),
            (Self::Float(one), Self::Float(other)) => one.partial_cmp(other),
            (Self::Bytes(one), Self::Bytes(other)) => one.partial_cmp(other),
            _ => None,
        }
    }
}

impl Sorting {
    /// Returns whether two files declare the same order.
    pub(crate) fn has_order_of(&self, other: &Self) -> bool {
        self.by == other.by
    }

    /// Compares the first values of two files.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let (Some(one), Some(other)) = (&self.range, &other.range) else {
            return self.range.is_some().cmp(&other.range.is_some());
        };
        self.directed(&one.0, &other.0).unwrap_or(Ordering::Equal)
    }

    /// Returns whether the rows of the other file come after those of this one, so that merging the
    /// files preserves the order.
    pub(crate) fn is_followed_by(&self, next: &Self) -> bool {
        let (Some(own), Some(other)) = (&self.range, &next.range) else {
            return false;
        };
        self.has_order_of(next) && self.follows(&own.1, &other.0)
    }

    /// Returns whether rows that start with one value may come after rows that end with another.
    fn follows(&self, last: &Bound, first: &Bound) -> bool {
        match self.directed(last, first) {
            Some(Ordering::Less) => true,
            // Rows that are equal in the first column may be in any order in the others.
            Some(Ordering::Equal) => self.by.len() == 1,
            _ => false,
        }
    }

    fn directed(&self, one: &Bound, other: &Bound) -> Option<Ordering> {
        let order = one.partial_cmp(other)?;
        let is_descending = self.by.first().is_some_and(|by| by.1);
        Some(if is_descending {
            order.reverse()
        } else {
            order
        })
    }
}

impl Footer {
    /// Reads the footer of a file. An object must be the listed version.
    pub(crate) fn read(file: &SourceFile, root: &Root) -> Result<Self> {
        let path = file.under(root);
        let in_file = |error: bytelane_parquet::Error| Error::from(error.in_file(&path));
        let input = match root.tree.object(&path, &file.meta())? {
            None => InputFile::open(&path).map_err(in_file)?,
            Some(object) => InputFile::from(Arc::new(object) as Arc<dyn RemoteFile>),
        };
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let builder = ReaderBuilder::try_new_with_options(input, options).map_err(in_file)?;
        Ok(Self::new(builder.metadata()))
    }

    fn new(metadata: &ParquetMetaData) -> Self {
        let schema = schema(metadata.file_metadata().schema_descr());
        let groups = metadata.row_groups();
        Self {
            rows: u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0),
            row_groups: groups.iter().filter(|group| group.num_rows() > 0).count(),
            class: class(&schema, groups),
            schema,
            sorting: sorting(groups),
            repeated: repeated(metadata.file_metadata().schema_descr()),
        }
    }
}

/// Returns a line for each leaf: its path, maximum levels, and type in the schema.
///
/// The schema is not printed as a whole, because its groups may be nested deeper than the stack
/// allows.
fn schema(schema: &SchemaDescriptor) -> String {
    let line = |column: &ColumnDescPtr| {
        let mut leaf = Vec::new();
        print_schema(&mut leaf, column.self_type());
        let leaf = String::from_utf8_lossy(&leaf);
        let levels = (column.max_def_level(), column.max_rep_level());
        let path = column.path();
        format!(
            "{path}, levels {}/{}: {}\n",
            levels.0,
            levels.1,
            leaf.trim_end()
        )
    };
    schema.columns().iter().map(line).collect()
}

/// Returns a name that two columns have.
fn repeated(schema: &SchemaDescriptor) -> Option<String> {
    let mut names = HashSet::new();
    let mut columns = schema.root_schema().get_fields().iter().map(|it| it.name());
    if let Some(name) = columns.find(|name| !names.insert(*name)) {
        return Some(name.to_owned());
    }
    let mut paths = HashSet::new();
    let mut leaves = schema.columns().iter().map(|leaf| leaf.path());
    let leaf = leaves.find(|path| !paths.insert(path.parts()))?;
    Some(leaf.string())
}

/// Returns the hash of the schema and of all encodings and compressions that the columns have in
/// any row group.
fn class(schema: &str, groups: &[RowGroupMetaData]) -> u128 {
    let leaves = groups.first().map_or(0, RowGroupMetaData::num_columns);
    let mut texts = vec![schema.to_owned()];
    for leaf in 0..leaves {
        let mut names: Vec<String> = Vec::new();
        for chunk in groups.iter().filter_map(|group| group.columns().get(leaf)) {
            let is_boolean = chunk.column_type() == Type::BOOLEAN;
            let of_values = |it: &Encoding| is_boolean || !is_of_levels(*it);
            names.extend(chunk.encodings().filter(of_values).map(|it| it.to_string()));
            names.push(chunk.compression_codec().to_string());
        }
        names.sort();
        names.dedup();
        texts.push(names.join(" "));
    }
    hash(texts.iter().map(String::as_str))
}

/// Returns whether levels use this encoding.
fn is_of_levels(encoding: Encoding) -> bool {
    #[expect(deprecated, reason = "old files have levels in it")]
    let packed = Encoding::BIT_PACKED;
    encoding == packed || encoding == Encoding::RLE
}

fn sorting(groups: &[RowGroupMetaData]) -> Option<Sorting> {
    let of_group = |group: &RowGroupMetaData| {
        let columns = group.sorting_columns()?.iter();
        let by: Vec<_> = columns
            .map(|it| (it.column_idx, it.descending, it.nulls_first))
            .collect();
        Some(by).filter(|by| !by.is_empty())
    };
    let by = of_group(groups.first()?)?;
    if groups
        .iter()
        .any(|group| of_group(group).as_ref() != Some(&by))
    {
        return None;
    }
    let mut sorting = Sorting { by, range: None };
    let mut range: Option<(Bound, Bound)> = None;
    for group in groups.iter().filter(|group| group.num_rows() > 0) {
        let Some((first, last)) = group_range(group, &sorting) else {
            return Some(sorting);
        };
        range = Some(match range {
            None => (first, last),
            Some((start, end)) if sorting.follows(&end, &first) => (start, last),
            Some(_) => return Some(sorting),
        });
    }
    sorting.range = range;
    Some(sorting)
}

/// Returns the first and the last value of a row group's first sorting column.
fn group_range(group: &RowGroupMetaData, sorting: &Sorting) -> Option<(Bound, Bound)> {
    let (leaf, is_descending, _) = *sorting.by.first()?;
    let chunk = group.columns().get(usize::try_from(leaf).ok()?)?;
    let statistics = chunk.statistics()?;
    if statistics.null_count_opt() != Some(0) {
        return None;
    }
    let (min, max) = bounds(statistics, chunk.column_descr().sort_order())?;
    Some(if is_descending {
        (max, min)
    } else {
        (min, max)
    })
}

fn bounds(statistics: &Statistics, order: SortOrder) -> Option<(Bound, Bound)> {
    /// Returns both bounds of typed statistics.
    macro_rules! both {
        ($typed:expr, $bound:expr) => {
            Some(($bound($typed.min_opt()?), $bound($typed.max_opt()?)))
        };
    }
    let is_unsigned = order == SortOrder::UNSIGNED;
    match statistics {
        Statistics::Int32(typed) if is_unsigned => {
            both!(typed, |it: &i32| Bound::Unsigned(it.cast_unsigned().into()))
        }
        Statistics::Int64(typed) if is_unsigned => {
            both!(typed, |it: &i64| Bound::Unsigned(it.cast_unsigned()))
        }
        Statistics::Int32(typed) => both!(typed, |it: &i32| Bound::Signed((*it).into())),
        Statistics::Int64(typed) => both!(typed, |it: &i64| Bound::Signed(*it)),
        Statistics::Float(typed) => both!(typed, |it: &f32| Bound::Float((*it).into())),
        Statistics::Double(typed) => both!(typed, |it: &f64| Bound::Float(*it)),
        Statistics::ByteArray(typed) if is_unsigned => {
            both!(typed, |it: &_| Bound::Bytes(AsBytes::as_bytes(it).to_vec()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(is_descending: bool, columns: usize, range: (i64, i64)) -> Sorting {
        Sorting {
            by: vec![(0, is_descending, false); columns],
            range: Some((Bound::Signed(range.0), Bound::Signed(range.1))),
        }
    }

    #[test]
    fn ranges_follow_each_other_or_overlap() {
        let follow = |is_descending, columns, one, other| {
            let next = sorted(is_descending, columns, other);
            sorted(is_descending, columns, one).is_followed_by(&next)
        };
        assert!(follow(false, 1, (1, 5), (6, 9)));
        assert!(follow(false, 1, (1, 5), (5, 9)));
        assert!(!follow(false, 2, (1, 5), (5, 9)));
        assert!(!follow(false, 1, (1, 5), (4, 9)));
        assert!(follow(true, 1, (9, 6), (5, 1)));
        assert!(!follow(true, 1, (5, 1), (9, 6)));
        let (one, other) = (sorted(false, 1, (1, 2)), sorted(true, 1, (3, 4)));
        assert!(!one.is_followed_by(&other));
        let unknown = Sorting {
            range: None,
            ..one.clone()
        };
        assert!(!one.is_followed_by(&unknown) && !unknown.is_followed_by(&one));
        assert_eq!(Bound::Float(1.0).partial_cmp(&Bound::Signed(1)), None);
    }
}
