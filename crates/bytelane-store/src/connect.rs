//! Connects to stores, with credentials from the environment.

use crate::{Error, Result};
use object_store::ObjectStore;
use std::sync::Arc;

/// Connects to the store of a root such as `s3://bucket`.
#[cfg(not(feature = "network"))]
pub(crate) fn connect(root: &str) -> Result<Arc<dyn ObjectStore>> {
    let problem = "this program was built without object stores; copy the files to a local disk";
    Err(Error::input(root, problem))
}

/// Connects to the store of a root such as `s3://bucket`.
#[cfg(feature = "network")]
pub(crate) fn connect(root: &str) -> Result<Arc<dyn ObjectStore>> {
    // Another part of the program may have chosen its provider of cryptography before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let scheme = root.split_once("://").map_or("", |(scheme, _)| scheme);
    let store = match scheme {
        "s3" | "s3a" => network::s3(root),
        "gs" => network::gcs(root),
        "http" | "https" => network::web(root),
        "memory" => return Err(Error::input(root, "no such store in memory")),
        _ => network::azure(root),
    };
    store.map_err(Error::at(root))
}

#[cfg(feature = "network")]
mod network {
    use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3CopyIfNotExists};
    use object_store::azure::MicrosoftAzureBuilder;
    use object_store::gcp::GoogleCloudStorageBuilder;
    use object_store::http::HttpBuilder;
    use object_store::{BackoffConfig, ClientOptions, ObjectStore, Result, RetryConfig};
    use std::sync::Arc;
    use std::time::Duration;

    /// Retries of a single request.
    fn retries() -> RetryConfig {
        RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(5),
                base: 2.0,
            },
            max_retries: 3,
            retry_timeout: Duration::from_secs(30),
        }
    }

    pub(super) fn s3(root: &str) -> Result<Arc<dyn ObjectStore>> {
        let mut builder = AmazonS3Builder::from_env()
            .with_url(root)
            .with_retry(retries());
        let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
        if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
            builder = builder.with_allow_http(true);
        }
        let copying = builder.get_config_value(&AmazonS3ConfigKey::CopyIfNotExists);
        if copying.is_none() {
            builder = builder.with_copy_if_not_exists(S3CopyIfNotExists::Multipart);
        }
        Ok(Arc::new(builder.build()?))
    }

    pub(super) fn gcs(root: &str) -> Result<Arc<dyn ObjectStore>> {
        let builder = GoogleCloudStorageBuilder::from_env();
        let builder = builder.with_url(root).with_retry(retries());
        Ok(Arc::new(builder.build()?))
    }

    pub(super) fn azure(root: &str) -> Result<Arc<dyn ObjectStore>> {
        let builder = MicrosoftAzureBuilder::from_env();
        let builder = builder.with_url(root).with_retry(retries());
        Ok(Arc::new(builder.build()?))
    }

    pub(super) fn web(root: &str) -> Result<Arc<dyn ObjectStore>> {
        let client = ClientOptions::new().with_allow_http(true);
        let builder = HttpBuilder::new().with_url(root).with_retry(retries());
        Ok(Arc::new(builder.with_client_options(client).build()?))
    }
}
