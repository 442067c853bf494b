//! Options of the caller and annotations in the IDL that affect the generated Rust code.

use crate::idl::syntax::{Annotation, Literal};

/// Options for the generated code.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// Path of the crate `bytelane-thrift`.
    pub(crate) runtime: String,
    /// True if structs keep the fields that they do not declare.
    pub(crate) keeps_unknown: bool,
    /// Paths of types, without parameters.
    pub(crate) map: String,
    pub(crate) set: String,
    pub(crate) string: String,
    pub(crate) binary: String,
    /// Pointer behind which a struct contains itself.
    pub(crate) pointer: String,
    /// Derives, each with the pattern of the types that it applies to.
    pub(crate) derives: Vec<(String, String)>,
    /// Ends of paths of files whose types are defined elsewhere, and their modules.
    pub(crate) external: Vec<(std::path::PathBuf, String)>,
    /// True if all modules are in one file.
    pub(crate) one_file: bool,
}

pub(crate) const MAP: &str = "std::collections::BTreeMap";
pub(crate) const SET: &str = "std::collections::BTreeSet";
pub(crate) const STRING: &str = "String";
pub(crate) const BINARY: &str = "Vec<u8>";

impl Default for Style {
    fn default() -> Self {
        Self {
            runtime: "bytelane_thrift".to_owned(),
            keeps_unknown: false,
            map: MAP.to_owned(),
            set: SET.to_owned(),
            string: STRING.to_owned(),
            binary: BINARY.to_owned(),
            pointer: "Box".to_owned(),
            derives: Vec::new(),
            external: Vec::new(),
            one_file: false,
        }
    }
}

impl Style {
    /// Returns the paths of the library, types and derives.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let types = [&self.map, &self.set, &self.string, &self.binary];
        let derives = self.derives.iter().map(|(_, derive)| derive);
        let paths = [&self.runtime, &self.pointer].into_iter().chain(types);
        paths.chain(derives).map(|path| &**path)
    }

    /// Returns the derives that the caller requests for a type.
    pub(crate) fn derives(&self, module: &str, name: &str) -> impl Iterator<Item = &str> {
        let qualified = format!("{module}.{name}");
        let asked = self.derives.iter();
        let asked = asked.filter(move |(pattern, _)| {
            let whole = if pattern.contains('.') {
                &qualified
            } else {
                &qualified[module.len() + 1..]
            };
            matches(pattern, whole)
        });
        asked.map(|(_, derive)| &**derive)
    }
}

/// Returns whether a text matches a pattern, in which `*` matches anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.any(|at| matches(rest, &text[at..]))
        }),
    }
}

/// Options from annotations: `rust.name` and so on, or fbthrift's `@rust.Name` and so on.
#[derive(Default)]
pub(crate) struct Asked<'a> {
    pub(crate) name: Option<&'a str>,
    /// Path of the type, with or without parameters.
    pub(crate) ty: Option<&'a str>,
    pub(crate) pointer: Option<&'static str>,
    pub(crate) derives: Vec<&'a str>,
    pub(crate) ordered: bool,
}

impl<'a> Asked<'a> {
    pub(crate) fn of(annotations: &'a [Annotation]) -> Self {
        let mut asked = Self::default();
        for annotation in annotations {
            match &*annotation.key.text {
                "rust.name" | "rust.Name" => asked.name = annotation.text("name"),
                "rust.type" | "rust.Type" => asked.ty = annotation.text("name"),
                "rust.box" | "rust.Box" => asked.pointer = Some("Box"),
                "rust.arc" | "rust.Arc" => asked.pointer = Some("std::sync::Arc"),
                "rust.ord" | "rust.Ord" => asked.ordered = true,
                "rust.copy" | "rust.Copy" => asked.derives.push("Copy"),
                "rust.derive" => {
                    let derives = annotation.text("").unwrap_or_default().split(',');
                    asked.derives.extend(derives.map(str::trim));
                }
                "rust.Derive" => {
                    let derives = annotation.field("derives").map(|value| &value.kind);
                    if let Some(Literal::List(derives)) = derives {
                        let texts = derives.iter().filter_map(|derive| derive.text());
                        asked.derives.extend(texts);
                    }
                }
                _ => {}
            }
        }
        asked
    }
}

/// Returns the path of a type in `rust.type`. fbthrift has names without `::` for some types.
pub(crate) fn standard_path(name: &str, runtime: &str) -> String {
    match name {
        "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet" => format!("std::collections::{name}"),
        "Bytes" => "bytes::Bytes".to_owned(),
        "OrderedFloat<f64>" => format!("{runtime}::Double"),
        "OrderedFloat<f32>" => format!("{runtime}::Float"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_stars() {
        assert!(matches("*", "") && matches("*", "Shape") && matches("Sh*e", "Shape"));
        assert!(matches("*ap*", "Shape") && !matches("Sh", "Shape") && !matches("*x*", "Shape"));
        let derives = [("*", "A"), ("Shape", "B"), ("m.*", "C"), ("n.Shape", "D")];
        let style = Style {
            derives: derives
                .map(|(of, derive)| (of.into(), derive.into()))
                .into(),
            ..Style::default()
        };
        assert_eq!(
            style.derives("m", "Shape").collect::<Vec<_>>(),
            ["A", "B", "C"]
        );
        assert_eq!(style.derives("n", "Other").collect::<Vec<_>>(), ["A"]);
    }
}
