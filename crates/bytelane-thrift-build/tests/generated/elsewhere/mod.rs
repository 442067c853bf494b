pub mod common_shared;
