//! Tests of objects on a store that fails in chosen ways.

mod faulty;
mod files;
mod prefetch;
mod puts;
mod reads;
