//! Limits that writers check.

use crate::{Error, ErrorKind, Frame, Limits};

/// Limits that writers check: depth and sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteLimits(Limits);

impl WriteLimits {
    #[inline]
    pub(crate) fn new(limits: &Limits) -> Self {
        Self(limits.within_formats())
    }

    #[inline]
    pub(crate) fn enter(&mut self) -> Result<(), Error> {
        match self.0.depth.checked_sub(1) {
            Some(depth) => {
                self.0.depth = depth;
                Ok(())
            }
            None => Err(Error::new(ErrorKind::DepthLimit, None)),
        }
    }

    #[inline]
    pub(crate) fn enter_struct(&mut self) -> Result<Frame, Error> {
        let outside = self.0.depth;
        self.enter()?;
        Ok(Frame { last: 0, outside })
    }

    #[inline]
    pub(crate) fn leave_struct(&mut self, frame: Frame) {
        self.0.depth = frame.outside;
    }

    #[inline]
    pub(crate) fn enter_container(&mut self, len: usize) -> Result<(), Error> {
        if len > self.0.container {
            return Err(Error::new(ErrorKind::ContainerLimit(len), None));
        }
        self.enter()
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        self.0.depth += 1;
    }

    #[inline]
    pub(crate) fn string(&self, len: usize) -> Result<(), Error> {
        if len > self.0.string {
            return Err(Error::new(ErrorKind::StringLimit(len), None));
        }
        Ok(())
    }
}
