//! Specifications: `name:key=value,key=value`.

use crate::{CODECS, Entry};
use std::str::FromStr;

/// A parameter of a codec.
#[derive(Debug)]
pub struct Parameter {
    /// Name before `=`.
    pub name: &'static str,
    /// Default value; `None` if a value is required.
    pub default: Option<&'static str>,
    /// One-line description, with the accepted values.
    pub help: &'static str,
}

/// Reason why a specification is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecificationError {
    /// No codec has this name.
    #[error("unknown codec `{0}`; the codecs are {names}", names = list(CODECS.iter().map(|entry| entry.name)))]
    Codec(String),
    /// The codec has no such parameter.
    #[error("{codec} has no parameter `{parameter}`; its parameters: {known}")]
    Parameter {
        /// Name of the codec.
        codec: &'static str,
        /// The given name.
        parameter: String,
        /// The parameters of the codec.
        known: String,
    },
    /// A parameter is given more than once.
    #[error("{codec}:{parameter} is given more than once; give it once")]
    Repeated {
        /// Name of the codec.
        codec: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// A parameter without a default is not given.
    #[error("{codec} needs the parameter `{parameter}`: {help}; as in {codec}:{parameter}=..")]
    Missing {
        /// Name of the codec.
        codec: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The meaning of the parameter.
        help: &'static str,
    },
    /// The parameter does not accept the value.
    #[error("{codec}:{parameter} cannot be `{value}`: {help}")]
    Value {
        /// Name of the codec.
        codec: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The given value.
        value: String,
        /// Values that the parameter accepts.
        help: &'static str,
    },
}

/// Joins words with commas.
fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// Parameters of one specification.
#[derive(Debug)]
pub struct Parameters<'a> {
    entry: &'a Entry,
    given: Vec<(&'static str, String)>,
}

impl<'a> Parameters<'a> {
    /// Parses `key=value,key=value`.
    ///
    /// # Errors
    ///
    /// [`SpecificationError::Parameter`] for a key that the codec does not have,
    /// [`SpecificationError::Repeated`] for one that is given more than once.
    pub(crate) fn read(entry: &'a Entry, text: &str) -> Result<Self, SpecificationError> {
        let mut given: Vec<(&'static str, String)> = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let known = entry
                .parameters
                .iter()
                .find(|parameter| parameter.name == name);
            let Some(parameter) = known else {
                return Err(SpecificationError::Parameter {
                    codec: entry.name,
                    parameter: name.to_owned(),
                    known: match entry.parameters {
                        [] => "none".to_owned(),
                        some => list(some.iter().map(|parameter| parameter.name)),
                    },
                });
            };
            if given.iter().any(|(given, _)| *given == parameter.name) {
                return Err(SpecificationError::Repeated {
                    codec: entry.name,
                    parameter: parameter.name,
                });
            }
            given.push((parameter.name, value.to_owned()));
        }
        Ok(Self { entry, given })
    }

    /// Returns the value of a parameter of the codec: the given one, or the default.
    ///
    /// # Errors
    ///
    /// [`SpecificationError::Missing`] if there is neither, [`SpecificationError::Value`] if
    /// `accept` rejects it or it does not parse as a `T`.
    pub fn get<T: FromStr>(
        &self,
        name: &str,
        accept: impl Fn(&T) -> bool,
    ) -> Result<T, SpecificationError> {
        let codec = self.entry.name;
        let parameter = self
            .entry
            .parameters
            .iter()
            .find(|parameter| parameter.name == name);
        let parameter = parameter.ok_or_else(|| SpecificationError::Parameter {
            codec,
            parameter: name.to_owned(),
            known: list(self.entry.parameters.iter().map(|parameter| parameter.name)),
        })?;
        let given = self.given.iter().find(|(given, _)| *given == name);
        let value = given.map(|(_, value)| value.as_str()).or(parameter.default);
        let value = value.ok_or(SpecificationError::Missing {
            codec,
            parameter: parameter.name,
            help: parameter.help,
        })?;
        value
            .parse()
            .ok()
            .filter(accept)
            .ok_or_else(|| SpecificationError::Value {
                codec,
                parameter: parameter.name,
                value: value.to_owned(),
                help: parameter.help,
            })
    }

    /// Returns the number that a parameter gives; `None` if it is `none` or `unknown`.
    ///
    /// # Errors
    ///
    /// The same as [`get`](Self::get).
    pub(crate) fn optional(
        &self,
        name: &str,
        accept: impl Fn(&usize) -> bool,
    ) -> Result<Option<usize>, SpecificationError> {
        let is_absent = |value: &String| value == "none" || value == "unknown";
        match self.get(name, is_absent) {
            Ok(_) => Ok(None),
            Err(_) => self.get(name, accept).map(Some),
        }
    }

    /// Returns whether the specification gives a parameter explicitly.
    #[must_use]
    pub fn gives(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, open};

    #[test]
    fn messages_say_what_there_is() {
        let message = |specification| open(specification).err().map(|error| error.to_string());
        assert!(
            message("byte_stream_spilt")
                .unwrap()
                .contains("the codecs are byte_stream_split")
        );
        assert_eq!(
            message("byte_stream_split:widht=8").unwrap(),
            "byte_stream_split has no parameter `widht`; its parameters: width, block, stores"
        );
        assert!(
            message("byte_stream_split")
                .unwrap()
                .contains("needs the parameter `width`")
        );
        assert!(
            message("byte_stream_split:width=0")
                .unwrap()
                .contains("cannot be `0`")
        );
        assert_eq!(message("byte_stream_split:width=8,block=10"), None);
        assert_eq!(
            message("stream_vbyte:block=1,delta=true,block=2").unwrap(),
            "stream_vbyte:block is given more than once; give it once"
        );
    }

    #[test]
    fn every_row_opens_with_its_own_cases() {
        for entry in CODECS {
            assert!(
                std::ptr::eq(find(entry.name).unwrap(), entry),
                "{} twice",
                entry.name
            );
            assert!(
                !entry.cases.is_empty() && !entry.experiments.is_empty(),
                "{}",
                entry.name
            );
            let experiments = entry
                .experiments
                .iter()
                .flat_map(|experiment| experiment.cases);
            for case in entry.cases.iter().chain(experiments) {
                let codec = entry.open(case).unwrap();
                assert!(
                    codec.width() > 0 && !codec.data().is_empty(),
                    "{}:{case}",
                    entry.name
                );
            }
        }
    }
}
