//! Work that reports progress to Python, and that signals and exceptions end.

use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Progress callback of a library function: amounts done and total.
pub type Callback = Arc<dyn Fn(u64, u64) -> ControlFlow<()> + Send + Sync>;

/// Runs work without the interpreter's lock. Its callback calls `progress`, if given, and lets Python handle signals;
/// an exception from either, such as that of Ctrl-C, ends the work and is raised. `convert` makes an exception of an
/// error of the work.
pub fn watched<T: Send, E: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    convert: impl FnOnce(E) -> PyErr,
    work: impl FnOnce(Callback) -> Result<T, E> + Send,
) -> PyResult<T> {
    let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let callback = callback(progress, Arc::clone(&raised));
    let outcome = py.detach(|| work(callback));
    let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    match raised {
        Some(exception) => Err(exception),
        None => outcome.map_err(convert),
    }
}

fn callback(progress: Option<Py<PyAny>>, raised: Arc<Mutex<Option<PyErr>>>) -> Callback {
    Arc::new(move |done, total| {
        let told = Python::attach(|py| {
            py.check_signals()?;
            match &progress {
                Some(progress) => progress.call1(py, (done, total)).map(drop),
                None => Ok(()),
            }
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(exception) => {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(exception);
                ControlFlow::Break(())
            }
        }
    })
}

/// Lets Python handle signals. Returns the exception if a handler raises one, as for Ctrl-C.
pub fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}
