//! The allocator of the command, and of the Python package, which brings the command along.
//!
//! The system's returns the memory of large arrays at once, and page faults zero it again at the next read: that takes a third
//! of the time. This one keeps it for a second. The measurements are in `docs/lab-notes/whole-tables.md`.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
