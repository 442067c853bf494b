//! `CODEC[:key=value,..]` on the command line.

use crate::readable;
use bytelane_catalog::{CODECS, Codec, Entry, Parameter, SpecificationError};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};

/// Codec of the catalog with the given parameters.
#[derive(Clone, Debug)]
pub struct Specification {
    pub entry: &'static Entry,
    pub parameters: String,
}

impl Specification {
    /// Opens the codec; omitted parameters must have defaults.
    pub fn open(&self) -> Result<Box<dyn Codec>, anyhow::Error> {
        self.entry.open(&self.parameters).map_err(explain)
    }

    fn read(text: String) -> Result<Self, anyhow::Error> {
        let (name, parameters) = text.split_once(':').unwrap_or((&text, ""));
        let entry = bytelane_catalog::find(name).map_err(explain)?;
        Ok(Self {
            entry,
            parameters: parameters.to_owned(),
        })
    }
}

/// Adds the most similar name to an error.
fn explain(error: SpecificationError) -> anyhow::Error {
    let meant = match &error {
        SpecificationError::Codec(name) => similar(name, CODECS.iter().map(|entry| entry.name)),
        SpecificationError::Parameter {
            codec, parameter, ..
        } => {
            let entries = CODECS.iter().filter(|entry| entry.name == *codec);
            let parameters = entries.flat_map(|entry| entry.parameters);
            similar(parameter, parameters.map(|parameter| parameter.name))
        }
        SpecificationError::Repeated { .. }
        | SpecificationError::Missing { .. }
        | SpecificationError::Value { .. } => None,
    };
    let error = error.to_string();
    let error = readable::line(&error);
    match meant {
        Some(meant) => anyhow::anyhow!("{error}; did you mean `{meant}`?"),
        None => anyhow::anyhow!("{error}"),
    }
}

/// Returns the name most similar to `wrong`, if any is similar.
pub fn similar<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = names.map(|name| (strsim::jaro_winkler(wrong, name), name));
    let best = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 > 0.75).then_some(best.1)
}

/// Returns a section of help: every codec with its parameters, followed by `examples`.
pub fn codecs_and(examples: &str) -> String {
    let mut help = "Codecs and their parameters:\n".to_owned();
    for entry in CODECS {
        help += &format!("  {}: {}\n", entry.name, entry.summary);
        for Parameter {
            name,
            default,
            help: meaning,
        } in entry.parameters
        {
            let default = default.map_or(String::new(), |value| format!(" [default: {value}]"));
            help += &format!("      {name}=..  {meaning}{default}\n");
        }
    }
    format!("{help}\nExamples:\n{examples}")
}

/// Parses a [`Specification`], and lists the codecs for help and completions.
#[derive(Clone, Debug)]
pub struct SpecificationParser;

impl TypedValueParser for SpecificationParser {
    type Value = Specification;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Specification, clap::Error> {
        StringValueParser::new()
            .try_map(Specification::read)
            .parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let codecs = CODECS.iter();
        Some(Box::new(codecs.map(|entry| {
            PossibleValue::new(entry.name).help(entry.summary)
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_found_and_others_are_not() {
        let names = ["byte_stream_split", "big_endian", "base64"];
        assert_eq!(
            similar("byte_steam_split", names.into_iter()),
            Some("byte_stream_split")
        );
        assert_eq!(similar("bigendian", names.into_iter()), Some("big_endian"));
        assert_eq!(similar("zzz", names.into_iter()), None);
        assert_eq!(similar("x", [].into_iter()), None);
    }
}
