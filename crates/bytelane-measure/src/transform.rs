//! Subjects that transform the bytes of one buffer into those of another, and the copies that are
//! their limit.

use crate::buffer::{Buffer, Pool};
use crate::memory::{copy_non_temporal, evict};
use crate::rounds::Subject;
use std::cell::RefCell;
use std::hint::black_box;

/// Name of the copy that every ratio refers to.
pub const MEMCPY: &str = "memcpy";

/// Prefix of the names of plain loops, compiled for an instruction set.
pub const PLAIN: &str = "plain";

/// Name of the copy with stores that bypass the caches, also called streaming stores.
pub const NON_TEMPORAL_COPY: &str = "streaming copy";

/// Inputs and output of a transform, and whether both are in cache.
///
/// All subjects of one measurement share it, so that none is favoured by the alignment of its
/// buffers.
///
/// ```
/// use bytelane_measure::{buffer::{APART, Buffer, Pool}, rounds::Rounds, transform::Buffers};
/// let inputs = Pool::generate(4, 0, |seed| vec![seed as u8; 10_000]);
/// let output = Buffer::zeroed(10_000, APART).into();
/// let buffers = Buffers { inputs: &inputs, output: &output, evicted: false };
/// let invert = |input: &[u8], output: &mut [u8]| {
///     for (byte, inverted) in input.iter().zip(output) {
///         *inverted = !byte;
///     }
/// };
/// let measured = Rounds::default().measure(vec![buffers.memcpy(), buffers.subject("not", invert)]);
/// assert_eq!(measured[1].name, "not");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Buffers<'a> {
    /// Inputs, used in turn.
    pub inputs: &'a Pool,
    /// Output, as long as the longest result.
    pub output: &'a RefCell<Buffer>,
    /// True if input and output are evicted from the caches before each call.
    pub evicted: bool,
}

impl<'a> Buffers<'a> {
    /// Creates a subject that performs `work` from an input to the output.
    pub fn subject(
        self,
        name: impl Into<String>,
        mut work: impl FnMut(&[u8], &mut [u8]) + 'a,
    ) -> Subject<'a> {
        let Self {
            inputs,
            output,
            evicted,
        } = self;
        let subject = Subject::new(name, move |call| {
            let mut output = output.borrow_mut();
            work(black_box(inputs.input(call)), black_box(&mut output));
        });
        if !evicted {
            return subject;
        }
        subject.evicted_by(move |call| {
            evict(inputs.input(call));
            evict(&output.borrow());
        })
    }

    /// Creates a subject that copies the input.
    #[must_use]
    pub fn memcpy(self) -> Subject<'a> {
        self.subject(MEMCPY, |input, output| {
            output[..input.len()].copy_from_slice(input)
        })
    }

    /// Creates a subject that copies the input with stores that bypass the caches; `None` if the
    /// architecture has no such stores.
    #[must_use]
    pub fn non_temporal_copy(self) -> Option<Subject<'a>> {
        let subject = self.subject(NON_TEMPORAL_COPY, |input, output| {
            let _ = copy_non_temporal(input, &mut output[..input.len()]);
        });
        copy_non_temporal(&[], &mut []).then_some(subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds::Rounds;
    use std::time::Duration;

    #[test]
    fn copies_copy_in_cache_and_evicted() {
        let quick = Rounds {
            sample: Duration::from_micros(5),
            ..Rounds::default()
        };
        for evicted in [false, true] {
            let inputs = Pool::generate(2, 0, |_| vec![7; 1000]);
            let output = RefCell::new(Buffer::zeroed(1001, 64));
            let buffers = Buffers {
                inputs: &inputs,
                output: &output,
                evicted,
            };
            for copy in [Some(buffers.memcpy()), buffers.non_temporal_copy()]
                .into_iter()
                .flatten()
            {
                output.borrow_mut().fill(0);
                let measured = quick.measure(vec![copy]);
                assert!(measured[0].nanoseconds > 0.0);
                assert!(
                    output.borrow()[..1000].iter().all(|&byte| byte == 7),
                    "{measured:?}"
                );
                assert_eq!(output.borrow()[1000], 0);
            }
        }
    }
}
