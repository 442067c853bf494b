//! Connects to stores, with credentials from the environment.

use crate::{Error, Result};
#[cfg(not(feature = "network"))]
use bytelane_parquet::Caller;
use object_store::ObjectStore;
use std::sync::Arc;

/// Connects to the store of a root such as `s3://bucket`.
#[cfg(not(feature = "network"))]
pub(crate) fn connect(root: &str) -> Result<Arc<dyn ObjectStore>> {
    let problem = match bytelane_parquet::caller() {
        Caller::Command => {
            "this build of the command has no object stores; install it with `--features stores`, or copy the files to \
             a local disk"
        }
        _ => {
            "this program was built without object stores; build it with the feature `network` of bytelane-store, or \
             copy the files to a local disk"
        }
    };
    Err(Error::input(root, problem))
}

/// Connects to the store of a root such as `s3://bucket`.
#[cfg(feature = "network")]
pub(crate) fn connect(root: &str) -> Result<Arc<dyn ObjectStore>> {
    // Another part of the program may have chosen its provider of cryptography before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let scheme = root.split_once("://").map_or("", |(scheme, _)| scheme);
    match scheme {
        "s3" | "s3a" => network::s3(root),
        "gs" => network::gcs(root).map_err(Error::at(root)),
        "http" | "https" => network::web(root).map_err(Error::at(root)),
        "memory" => Err(Error::input(
            root,
            "there is no such store in memory; register it first",
        )),
        _ => network::azure(root).map_err(Error::at(root)),
    }
}

#[cfg(feature = "network")]
mod network {
    use crate::Error;
    use crate::profile::Profile;
    use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3CopyIfNotExists};
    use object_store::azure::MicrosoftAzureBuilder;
    use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder};
    use object_store::http::HttpBuilder;
    use object_store::{
        BackoffConfig, ClientOptions, ObjectStore, Result, RetryConfig, StaticCredentialProvider,
    };
    use std::env;
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

    pub(super) fn s3(root: &str) -> crate::Result<Arc<dyn ObjectStore>> {
        let mut builder = AmazonS3Builder::from_env()
            .with_url(root)
            .with_retry(retries());
        if asks_for_profile(&builder) {
            let profile = Profile::of_user().map_err(|problem| Error::input(root, problem))?;
            builder = with_profile(builder, profile);
        }
        let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
        if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
            builder = builder.with_allow_http(true);
        }
        let copying = builder.get_config_value(&AmazonS3ConfigKey::CopyIfNotExists);
        if copying.is_none() {
            builder = builder.with_copy_if_not_exists(S3CopyIfNotExists::Multipart);
        }
        Ok(Arc::new(builder.build().map_err(Error::at(root))?))
    }

    /// Returns whether the environment neither has keys nor says where else they come from. As in the tools of
    /// Amazon, the files of the user come after variables and before the services of machines.
    fn asks_for_profile(builder: &AmazonS3Builder) -> bool {
        let is_set = |key| builder.get_config_value(&key).is_some();
        let is_public = builder.get_config_value(&AmazonS3ConfigKey::SkipSignature);
        !is_set(AmazonS3ConfigKey::AccessKeyId)
            && is_public.is_none_or(|skips| skips != "true")
            && env::var_os("AWS_WEB_IDENTITY_TOKEN_FILE").is_none()
    }

    /// Adds the settings of a profile that the environment lacks.
    fn with_profile(mut builder: AmazonS3Builder, profile: Profile) -> AmazonS3Builder {
        use AmazonS3ConfigKey::{AccessKeyId, Endpoint, Region, SecretAccessKey, Token};
        let (id, secret, token) = match profile.keys {
            Some((id, secret, token)) => (Some(id), Some(secret), token),
            None => (None, None, None),
        };
        let settings = [
            (AccessKeyId, id),
            (SecretAccessKey, secret),
            (Token, token),
            (Region, profile.region),
            (Endpoint, profile.endpoint),
        ];
        for (key, value) in settings {
            if let Some(value) = value
                && builder.get_config_value(&key).is_none()
            {
                builder = builder.with_config(key, value);
            }
        }
        builder
    }

    pub(super) fn gcs(root: &str) -> Result<Arc<dyn ObjectStore>> {
        let mut builder = GoogleCloudStorageBuilder::from_env();
        // As in the libraries of Google. Emulators accept any token.
        if let Ok(host) = env::var("STORAGE_EMULATOR_HOST") {
            let has_scheme = host.contains("://");
            let url = if has_scheme {
                host
            } else {
                format!("http://{host}")
            };
            let url = url.trim_end_matches('/');
            let token = GcpCredential {
                bearer: "owner".to_owned(),
            };
            let credentials = Arc::new(StaticCredentialProvider::new(token));
            builder = builder.with_base_url(url).with_credentials(credentials);
        }
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
