//! Provides stacks for code that recurses into nested columns, here and in the crates `parquet` and `arrow`.

use crate::Result;
use crate::catch_panic::{is_caught, set_catching};
use arrow_schema::{DataType, Field};
use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// Nesting depth up to which columns need no stack of their own.
const SHALLOW: usize = 24;

/// Base stack size, and stack size per nested group, in bytes.
const STACK: usize = 2 << 20;
const EACH: usize = 128 << 10;

/// Returns the stack size for columns of this nesting depth, in bytes.
pub(crate) fn stack_size(depth: usize) -> usize {
    STACK + EACH * depth.saturating_sub(SHALLOW)
}

/// Calls `work`, which recurses into columns of this nesting depth. If the caller's stack may be too small,
/// it runs on a thread with a larger one.
pub fn with_stack<T: Send>(depth: usize, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if depth <= SHALLOW {
        return work();
    }
    let outside = is_caught();
    thread::scope(|scope| {
        let thread = Builder::new().stack_size(stack_size(depth));
        let thread = thread.spawn_scoped(scope, || {
            set_catching(outside);
            work()
        })?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Returns the nesting depth of the fields.
pub fn depth_of<'a>(fields: impl IntoIterator<Item = &'a Field>) -> usize {
    // Not recursive, because the stack may be too small at this point.
    let mut open: Vec<(&DataType, usize)> = Vec::new();
    open.extend(fields.into_iter().map(|field| (field.data_type(), 1)));
    let mut deepest = 0;
    while let Some((data_type, depth)) = open.pop() {
        deepest = deepest.max(depth);
        let mut within = |data_type| open.push((data_type, depth + 1));
        match data_type {
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::ListView(field)
            | DataType::LargeListView(field)
            | DataType::FixedSizeList(field, _)
            | DataType::RunEndEncoded(_, field)
            | DataType::Map(field, _) => within(field.data_type()),
            DataType::Struct(fields) => fields.iter().for_each(|field| within(field.data_type())),
            DataType::Dictionary(_, values) => within(values),
            _ => {}
        }
    }
    deepest
}
