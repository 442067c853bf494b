//! Tables of the page.

use serde::Serialize;

/// Table with names in the first column and figures in the others.
#[derive(Debug, Serialize)]
pub struct Table {
    pub caption: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}
