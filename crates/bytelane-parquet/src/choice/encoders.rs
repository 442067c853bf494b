//! Encoders that write columns for comparison.

use crate::chunk::ColumnEncoder;
use crate::{ColumnOptions, WriterOptions};
use std::sync::Arc;

/// Encoder that writes columns for comparison, with one set of buffers.
pub(super) struct Encoders {
    encoder: ColumnEncoder,
    /// Options for parts of columns, without statistics.
    of_parts: Arc<WriterOptions>,
    /// Options for whole columns.
    pub(super) of_columns: Arc<WriterOptions>,
}

impl Encoders {
    /// Creates the encoder of a writer with these options.
    pub(super) fn new(options: &WriterOptions) -> Self {
        let columns = options.columns.iter().map(|(path, column)| {
            let column = ColumnOptions {
                compression: column.compression,
                entries: column.entries.clone(),
                ..ColumnOptions::default()
            };
            (path.clone(), column)
        });
        Self {
            encoder: ColumnEncoder::new(options.clone()),
            of_parts: Arc::new(WriterOptions {
                columns: columns.collect(),
                write_statistics: false,
                bloom_filter: None,
                ..options.clone()
            }),
            of_columns: Arc::new(options.clone()),
        }
    }

    /// Returns the encoder for parts of columns.
    pub(super) fn of_parts(&mut self) -> &mut ColumnEncoder {
        self.encoder.set_options(&self.of_parts);
        &mut self.encoder
    }

    /// Returns the encoder for whole columns.
    pub(super) fn of_columns(&mut self) -> &mut ColumnEncoder {
        self.encoder.set_options(&self.of_columns);
        &mut self.encoder
    }
}
