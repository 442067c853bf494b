//! Measurement of bytelane.
//!
//! A figure is a ratio measured in one process, in one run: relative to `memcpy` of the decoded
//! bytes, which is the limit, and relative to other libraries. Everything here serves this
//! principle.
//!
//! | module | contents |
//! |---|---|
//! | [`rounds`] | interleaved rounds (A B C B A C ..), calibrated batches, medians with their spread |
//! | [`clock`] | wall-clock time or the CPU time of one thread |
//! | [`cpu`] | the CPU's name and caches, pinning to a core |
//! | [`system`] | the CPU's exact model and clock, the kernel, the load |
//! | [`buffer`] | buffers at a chosen offset from a page, pools of different inputs |
//! | [`memory`] | cache eviction, a copy that bypasses the caches |
//! | [`data`] | named generators of bytes from an element type, a name and a seed |
//! | [`transform`] | work from one buffer to another, and the copies that are its limit |
//! | [`row`] | the row type of all figures |
//!
//! # Example
//!
//! Two ways to add numbers, side by side:
//!
//! ```
//! use bytelane_measure::rounds::{Rounds, Subject};
//! use std::{hint::black_box, time::Duration};
//!
//! let numbers: Vec<u32> = (0..1000).collect();
//! let rounds = Rounds { sample: Duration::from_micros(20), ..Rounds::default() };
//! let measured = rounds.measure(vec![
//!     Subject::new("sum", |_| { black_box(black_box(&numbers).iter().sum::<u32>()); }),
//!     Subject::new("max", |_| { black_box(black_box(&numbers).iter().max()); }),
//! ]);
//! assert_eq!(measured[0].name, "sum");
//! assert!(measured[1].nanoseconds > 0.0);
//! ```

pub mod buffer;
pub mod clock;
pub mod cpu;
pub mod data;
pub mod memory;
pub mod rounds;
#[cfg(feature = "rows")]
pub mod row;
pub mod system;
pub mod transform;
