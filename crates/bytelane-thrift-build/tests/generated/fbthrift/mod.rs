pub mod common_shared;
pub mod fbthrift;
