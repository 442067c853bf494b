//! Stages for other languages and programs.

pub mod browser;
pub mod c;
pub mod files;
pub mod go;
pub mod idl;
pub mod java;
pub mod python;
pub mod wheel;
