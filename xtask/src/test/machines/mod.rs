//! Stages for other processors, and for the instructions of kernels.

pub mod armv7;
pub mod assembly;
pub mod cross;
