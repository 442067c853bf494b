//! Tests plans and runs over data sets on disk.

mod data;
mod faults;
mod plans;
mod roots;
mod runs;
