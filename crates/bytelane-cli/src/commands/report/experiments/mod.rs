//! Experiments, one file each: measurements, and how the page shows them.

mod distributions;
mod entropy;
mod evicted;
mod files;
mod lists;
mod parquet;
mod scatter;
mod section;
mod sizes;
mod table;
mod thrift;
mod widths;

pub use files::list;
pub use section::{Experiment, Shown};

/// Name of the experiment on the user's own files.
pub const FILES: &str = files::EXPERIMENT.name;

/// All experiments, in the order of the page. To add one, add a file, and a row here.
pub static EXPERIMENTS: &[Experiment] = &[
    files::EXPERIMENT,
    sizes::EXPERIMENT,
    evicted::EXPERIMENT,
    parquet::EXPERIMENT,
    entropy::EXPERIMENT,
    distributions::EXPERIMENT,
    widths::EXPERIMENT,
    thrift::EXPERIMENT,
    lists::EXPERIMENT,
];
