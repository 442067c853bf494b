//! Plans and runs over data sets on a disk.

mod data;
mod faults;
mod plans;
mod roots;
mod runs;
