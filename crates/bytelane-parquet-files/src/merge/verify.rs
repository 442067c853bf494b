//! Compares the rows of the outputs, which still have temporary names, with those of the inputs.

use super::meaning::repeated;
use super::options::MergeOptions;
use super::output::Outputs;
use super::part::Part;
use super::plan::Plan;
use crate::diff::{DiffOptions, diff};
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_schema::DataType;
use bytelane_parquet::read::ReaderBuilder;
use bytelane_parquet::types::unite::convert;
use bytelane_parquet::{Error, Problem, Progress, Reader, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::RowSelection;
use std::path::Path;

/// Compares all rows.
pub(super) fn verify<'a>(
    plan: &'a Plan<'a>,
    options: &MergeOptions,
    outputs: &Outputs<'_>,
    progress: Progress,
) -> Result<()> {
    let Some(unfinished) = outputs.unfinished() else {
        let problem = "a device or a pipe cannot be read again to verify it; write a file";
        return Err(Problem::Option(problem.to_owned()).into());
    };
    if !options.edits.is_empty() {
        return edited(plan, &unfinished, &progress);
    }
    let inputs: Vec<&Path> = plan.inputs.iter().map(|it| it.path).collect();
    let mut comparison = DiffOptions::default()
        .with_missing_as_null(true)
        .with_progress(progress);
    comparison.row_limit = options.row_limit;
    let difference = diff(&inputs, &unfinished, &comparison)?;
    if difference.is_none() {
        Ok(())
    } else {
        Err(different("the merged files have different values"))
    }
}

fn different(problem: &str) -> Error {
    Problem::Different(problem.to_owned()).into()
}

/// Compares the rows that are kept, with their columns changed, with those of the outputs.
fn edited<'a>(plan: &'a Plan<'a>, outputs: &[impl AsRef<Path>], progress: &Progress) -> Result<()> {
    let total = plan.footer.num_rows.unsigned_abs();
    let by_input = plan.parts.chunk_by(|one, other| one.input == other.input);
    let mut wanted = Rows::new(by_input.map(|parts| Wanted::new(plan, parts)));
    let mut found = Rows::new(outputs.iter().map(|path| {
        let path = path.as_ref();
        let reader = ReaderBuilder::open(path).and_then(ReaderBuilder::build);
        let reader = reader.map_err(|error| error.in_file(path))?;
        Ok(reader.map(|batch| Ok(batch?.columns().to_vec())))
    }));
    let mut done = 0;
    loop {
        let rows = wanted.left()?.min(found.left()?);
        if rows == 0 {
            break;
        }
        let pairs = wanted.take(rows).into_iter().zip(found.take(rows));
        for ((wanted, found), root) in pairs.zip(&plan.columns.roots) {
            let to = found.data_type();
            if convert(&wanted, to)?.to_data() != found.to_data() {
                let error = different("the new file has other values");
                return Err(error.in_column(root.name()));
            }
        }
        done += rows as u64;
        progress.report(done, total)?;
    }
    if wanted.left()? == found.left()? {
        Ok(())
    } else {
        Err(different("the new file has another number of rows"))
    }
}

/// Rows of several files, one after the other.
struct Rows<F, B> {
    files: F,
    open: Option<B>,
    batch: Vec<ArrayRef>,
    /// Number of rows of the batch that are left, after those that were taken.
    left: usize,
    taken: usize,
}

impl<F, B> Rows<F, B>
where
    F: Iterator<Item = Result<B>>,
    B: Iterator<Item = Result<Vec<ArrayRef>>>,
{
    fn new(files: F) -> Self {
        Self {
            files,
            open: None,
            batch: Vec::new(),
            left: 0,
            taken: 0,
        }
    }

    /// Returns the number of the next rows in one batch; 0 after the last one.
    fn left(&mut self) -> Result<usize> {
        while self.left == 0 {
            let Some(open) = &mut self.open else {
                match self.files.next() {
                    None => return Ok(0),
                    Some(file) => self.open = Some(file?),
                }
                continue;
            };
            match open.next() {
                None => self.open = None,
                Some(batch) => {
                    self.batch = batch?;
                    self.left = self.batch.first().map_or(0, |column| column.len());
                    self.taken = 0;
                }
            }
        }
        Ok(self.left)
    }

    /// Returns the columns of the next rows.
    fn take(&mut self, rows: usize) -> Vec<ArrayRef> {
        let start = self.taken;
        self.left -= rows;
        self.taken += rows;
        let columns = self.batch.iter();
        columns.map(|column| column.slice(start, rows)).collect()
    }
}

/// Rows of an input that are kept, with the columns of the output.
struct Wanted<'a> {
    reader: Reader,
    /// Number of each column of the output in the batches, and its value if the input lacks it.
    columns: Vec<(Option<usize>, Option<&'a ArrayRef>, DataType)>,
    plan: &'a Plan<'a>,
}

impl<'a> Wanted<'a> {
    /// Opens the input of these parts.
    fn new(plan: &'a Plan<'a>, parts: &[Part]) -> Result<Self> {
        let input = &plan.inputs[parts[0].input];
        let roots = plan.columns.roots.iter().enumerate();
        let numbers = roots.clone().map(|(at, _)| {
            let place = plan.columns.place(&input.layout, at);
            place.map(|place| place.root)
        });
        let numbers: Vec<Option<usize>> = numbers.collect();
        let open = || {
            let builder = ReaderBuilder::open(input.path)?;
            let mask =
                ProjectionMask::roots(builder.parquet_schema(), numbers.iter().flatten().copied());
            let (mut ranges, mut first) = (Vec::new(), 0);
            for part in parts {
                let rows = builder.metadata().row_group(part.row_group).num_rows() as usize;
                let own = part.ranges().into_iter();
                ranges.extend(own.map(|it| first + it.start as usize..first + it.end as usize));
                first += rows;
            }
            let rows = RowSelection::from_consecutive_ranges(ranges.into_iter(), first);
            let row_groups = parts.iter().map(|part| part.row_group).collect();
            let builder = builder.with_projection(mask).with_row_groups(row_groups);
            builder.with_row_selection(rows).build()
        };
        let reader = open().map_err(|error| error.in_file(input.path))?;
        let mut read: Vec<usize> = numbers.iter().flatten().copied().collect();
        read.sort_unstable();
        let columns = numbers.iter().zip(roots).map(|(number, (_, root))| {
            let position = number.and_then(|number| read.binary_search(&number).ok());
            let data_type = root.field.as_ref().map(|field| field.data_type().clone());
            (
                position,
                root.constant.as_ref(),
                data_type.unwrap_or(DataType::Null),
            )
        });
        Ok(Self {
            columns: columns.collect(),
            reader,
            plan,
        })
    }
}

impl Iterator for Wanted<'_> {
    type Item = Result<Vec<ArrayRef>>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.reader.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error.into())),
        };
        let (rows, schema) = (batch.num_rows(), batch.schema());
        let columns = self.columns.iter().map(|column| match column {
            (Some(at), ..) => {
                let name = schema.field(*at).name();
                self.plan.columns.renamed(batch.column(*at), name)
            }
            (None, Some(value), _) => repeated(value, rows),
            (None, None, data_type) => Ok(new_null_array(data_type, rows)),
        });
        Some(columns.collect())
    }
}
