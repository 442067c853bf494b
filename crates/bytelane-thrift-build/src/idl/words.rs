//! Words for built-in types.
//!
//! Some dialects lack some of them: Apache's has `i8` since version 0.10 and `uuid` since 0.19,
//! fbthrift's has neither of them, nor `slist`, and `float` is only in fbthrift's. Where a dialect
//! lacks a word, a definition may have it as its name; it then counts in its file.

use crate::idl::syntax::Base;

/// Returns the built-in type that a word names, if no definition has that name.
pub(crate) fn base(word: &str) -> Option<Base> {
    Some(match word {
        "bool" => Base::Bool,
        "byte" | "i8" => Base::I8,
        "i16" => Base::I16,
        "i32" => Base::I32,
        "i64" => Base::I64,
        "double" => Base::Double,
        "float" => Base::Float,
        "string" | "slist" => Base::String,
        "binary" => Base::Binary,
        "uuid" => Base::Uuid,
        _ => return None,
    })
}

/// Returns whether all dialects that a file may be written in have this word for a type: no type or
/// service can have it as its name. `package` is a statement of fbthrift.
pub(crate) fn is_reserved(word: &str, has_package: bool) -> bool {
    match word {
        "list" | "set" | "map" | "void" => true,
        "float" => has_package,
        "i8" | "slist" | "uuid" => false,
        _ => base(word).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_reserved;

    #[test]
    fn words_are_reserved_where_every_dialect_has_them() {
        for word in ["bool", "byte", "i64", "double", "binary", "map", "void"] {
            assert!(
                is_reserved(word, false) && is_reserved(word, true),
                "{word}"
            );
        }
        for word in ["i8", "uuid", "slist", "lists"] {
            assert!(
                !is_reserved(word, false) && !is_reserved(word, true),
                "{word}"
            );
        }
        assert!(!is_reserved("float", false) && is_reserved("float", true));
    }
}
