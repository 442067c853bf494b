//! Retries requests a bounded number of times.

use object_store::{Error, Result};
use std::time::Duration;

/// Pauses before each retry. The clients of the stores have retries of their own, for each request.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_millis(1000),
];

/// Repeats a request that may succeed later. It must not matter whether it is done once or several times.
pub(crate) async fn retried<T, F: Future<Output = Result<T>>>(
    mut request: impl FnMut() -> F,
) -> Result<T> {
    for pause in PAUSES {
        match request().await {
            Err(error) if is_transient(&error) => tokio::time::sleep(pause).await,
            outcome => return outcome,
        }
    }
    request().await
}

/// Returns whether a request may succeed later.
pub(crate) fn is_transient(error: &Error) -> bool {
    matches!(error, Error::Generic { .. } | Error::JoinError { .. })
}

/// Returns an error that is retried.
pub(crate) fn transient(problem: String) -> Error {
    Error::Generic {
        store: "store",
        source: problem.into(),
    }
}
