//! Reads profiles of the files that the tools of Amazon write: `~/.aws/credentials` and `~/.aws/config`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Settings of a profile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Profile {
    /// Id, secret and session token of its keys, if it has keys.
    pub keys: Option<(String, String, Option<String>)>,
    pub region: Option<String>,
    pub endpoint: Option<String>,
}

/// Settings of profiles whose keys have to be fetched from elsewhere.
const FETCHED: [&str; 5] = [
    "credential_process",
    "sso_session",
    "sso_start_url",
    "role_arn",
    "credential_source",
];

impl Profile {
    /// Reads the profile that `AWS_PROFILE` names, or the default one, from the files of this user.
    pub(crate) fn of_user() -> Result<Self, String> {
        let named = env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
        let path = |variable: &str, name: &str| {
            let path = env::var_os(variable).map(PathBuf::from);
            path.or_else(|| Some(env::home_dir()?.join(".aws").join(name)))
        };
        let credentials = path("AWS_SHARED_CREDENTIALS_FILE", "credentials");
        let config = path("AWS_CONFIG_FILE", "config");
        let credentials_text = read(credentials.as_deref())?;
        let config_text = read(config.as_deref())?;
        let found = Self::parse(
            &credentials_text,
            &config_text,
            named.as_deref().unwrap_or("default"),
        )?;
        match (found, named) {
            (Some(profile), _) => Ok(profile),
            (None, None) => Ok(Self::default()),
            (None, Some(name)) => {
                let paths = [credentials, config].into_iter().flatten();
                let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
                let files = paths.join(" and ");
                Err(format!(
                    "AWS_PROFILE is {name:?}, but there is no such profile in {files}"
                ))
            }
        }
    }

    /// Returns a profile, if one of the files has it.
    fn parse(credentials: &str, config: &str, name: &str) -> Result<Option<Self>, String> {
        let is_default = name == "default";
        let in_config = format!("profile {name}");
        let mut settings = section(config, |title| {
            title == in_config || is_default && title == name
        });
        let own = section(credentials, |title| title == name);
        if settings.is_none() && own.is_none() {
            return Ok(None);
        }
        let settings = settings.get_or_insert_default();
        settings.extend(own.unwrap_or_default());
        let mut take = |key: &str| settings.remove(key).filter(|value| !value.is_empty());
        let id = take("aws_access_key_id");
        let secret = take("aws_secret_access_key");
        let token = take("aws_session_token");
        let profile = Self {
            region: take("region"),
            endpoint: take("endpoint_url"),
            keys: id.zip(secret).map(|(id, secret)| (id, secret, token)),
        };
        let fetched = FETCHED.into_iter().find(|key| settings.contains_key(*key));
        match fetched {
            Some(key) if profile.keys.is_none() => Err(format!(
                "the profile {name:?} has no keys but {key}, which is not supported; run `eval \"$(aws configure \
                 export-credentials --profile {name} --format env)\"`"
            )),
            _ => Ok(Some(profile)),
        }
    }
}

fn read(path: Option<&Path>) -> Result<String, String> {
    let Some(path) = path else {
        return Ok(String::new());
    };
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Returns the settings of the sections with a title. Nested settings, which are indented, are skipped.
fn section(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<HashMap<String, String>> {
    let mut settings: Option<HashMap<String, String>> = None;
    let mut is_in = false;
    for line in text.lines() {
        if line.starts_with(['#', ';', ' ', '\t']) {
            continue;
        }
        if let Some(title) = line.strip_prefix('[') {
            let title = title.split(']').next().unwrap_or_default();
            let words: Vec<&str> = title.split_whitespace().collect();
            is_in = is_wanted(&words.join(" "));
            if is_in {
                settings.get_or_insert_default();
            }
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_in) {
            let value = value.split(" #").next().unwrap_or_default().trim();
            let key = key.trim().to_ascii_lowercase();
            settings
                .get_or_insert_default()
                .insert(key, value.to_owned());
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &str = "\
# Keys of two accounts
[default]
aws_access_key_id = ID
aws_secret_access_key=a=b/c+

[ work ]
AWS_ACCESS_KEY_ID = WORK
aws_secret_access_key = secret # of March
aws_session_token = token
";

    const CONFIG: &str = "\
[default]
region = eu-west-1
[profile work]
s3 =
  region = ignored
endpoint_url = http://localhost:9000
[profile sso]
sso_session = corp
[sso-session corp]
region = us-east-2
";

    #[test]
    fn profiles_are_read_from_both_files() {
        let profile = |name: &str| Profile::parse(CREDENTIALS, CONFIG, name);
        let own = profile("default").unwrap().unwrap();
        assert_eq!(own.keys, Some(("ID".to_owned(), "a=b/c+".to_owned(), None)));
        assert_eq!(
            (own.region.as_deref(), own.endpoint),
            (Some("eu-west-1"), None)
        );
        let work = profile("work").unwrap().unwrap();
        let (id, secret, token) = work.keys.unwrap();
        assert_eq!(
            (&id[..], &secret[..], token.as_deref()),
            ("WORK", "secret", Some("token"))
        );
        assert_eq!(
            (work.region, work.endpoint.as_deref()),
            (None, Some("http://localhost:9000"))
        );
        assert_eq!(profile("other").unwrap(), None);
        assert_eq!(Profile::parse("", "", "default").unwrap(), None);
        let error = profile("sso").unwrap_err();
        assert!(
            error.contains("sso_session") && error.contains("export-credentials"),
            "{error}"
        );
    }
}
