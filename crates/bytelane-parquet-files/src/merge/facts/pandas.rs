//! Joins the metadata of pandas:
//! <https://pandas.pydata.org/docs/development/developer.html#storing-pandas-dataframe-objects-in-apache-parquet-format>.

use crate::edits::{Edits, Promotion};
use serde_json::{Value, json};

/// Metadata of pandas in the inputs so far.
#[derive(Debug, Default)]
pub(super) struct Pandas {
    joined: Option<Value>,
    /// Set if an input has metadata that cannot be understood.
    is_unknown: bool,
}

impl Pandas {
    /// Adds that of a file.
    pub(super) fn add(&mut self, value: &[u8]) {
        let parsed = serde_json::from_slice::<Value>(value).ok();
        let has_columns = |it: &Value| it.get("columns").is_some_and(Value::is_array);
        let Some(other) = parsed.filter(has_columns) else {
            self.is_unknown = true;
            return;
        };
        match &mut self.joined {
            None => self.joined = Some(other),
            Some(own) => join(own, other),
        }
    }

    /// Returns the joined metadata for this many rows, with changed columns.
    pub(super) fn joined(&self, rows: u64, edits: &Edits) -> Option<String> {
        let mut joined = self.joined.clone().filter(|_| !self.is_unknown)?;
        for index in joined
            .get_mut("index_columns")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if index.get("kind").is_some_and(|kind| kind == "range") {
                index["start"] = json!(0);
                index["stop"] = json!(rows);
                index["step"] = json!(1);
            }
        }
        edit(&mut joined, edits);
        Some(joined.to_string())
    }
}

/// Changes the columns. Those with new types are left out: pandas then takes the type from the column.
fn edit(joined: &mut Value, edits: &Edits) {
    let is_dropped = |name: &str| edits.drop.iter().any(|it| it == name);
    let is_promoted = |name: &str| {
        let mut types = edits.promote.iter();
        types.any(|(it, to)| it == name && matches!(to, Promotion::Type(_)))
    };
    if let Some(indexes) = joined["index_columns"].as_array_mut() {
        indexes.retain(|it| !it.as_str().is_some_and(is_dropped));
        for index in indexes {
            rename(index, edits);
        }
    }
    if let Some(columns) = joined["columns"].as_array_mut() {
        columns.retain(|column| {
            let name = name_of(column).and_then(Value::as_str);
            !name.is_some_and(|name| is_dropped(name) || is_promoted(name))
        });
        for column in columns {
            rename(&mut column["name"], edits);
            if column.get("field_name").is_some() {
                rename(&mut column["field_name"], edits);
            }
        }
    }
}

fn rename(name: &mut Value, edits: &Edits) {
    if let Value::String(name) = name {
        *name = edits.new_name(name).to_owned();
    }
}

/// Returns the name of a column in the file.
fn name_of(column: &Value) -> Option<&Value> {
    column.get("field_name").or(column.get("name"))
}

fn join(own: &mut Value, other: Value) {
    let kind = |index: &Value| match index {
        Value::Object(_) => json!([index.get("kind"), index.get("name")]),
        name => name.clone(),
    };
    let kinds = |of: &Value| {
        let all = of.get("index_columns").and_then(Value::as_array);
        all.map(|all| all.iter().map(kind).collect::<Vec<_>>())
    };
    if kinds(own) != kinds(&other) {
        own["index_columns"] = json!([]);
    }
    let Some(columns) = own.get_mut("columns").and_then(Value::as_array_mut) else {
        return;
    };
    for column in other["columns"].as_array().into_iter().flatten() {
        match columns.iter().position(|it| name_of(it) == name_of(column)) {
            None => columns.push(column.clone()),
            Some(at) if columns[at] == *column => {}
            // Number of categories, which nobody reads.
            Some(at)
                if columns[at]["pandas_type"] == "categorical"
                    && column["pandas_type"] == "categorical" => {}
            // pandas then takes the type from the column.
            Some(at) => {
                columns.remove(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::DataType;

    #[test]
    fn columns_are_united_and_a_range_index_counts_all_rows() {
        let one = json!({
            "index_columns": [{"kind": "range", "name": null, "start": 5, "stop": 8, "step": 1}],
            "columns": [{"name": "a", "numpy_type": "int64"}, {"name": "b", "numpy_type": "int8"}],
        });
        let other = json!({
            "index_columns": [{"kind": "range", "name": null, "start": 0, "stop": 3, "step": 1}],
            "columns": [{"name": "b", "numpy_type": "int64"}, {"name": "c", "numpy_type": "object"}],
        });
        let mut pandas = Pandas::default();
        pandas.add(one.to_string().as_bytes());
        pandas.add(other.to_string().as_bytes());
        let joined: Value =
            serde_json::from_str(&pandas.joined(6, &Edits::default()).unwrap()).unwrap();
        let wanted = json!({
            "index_columns": [{"kind": "range", "name": null, "start": 0, "stop": 6, "step": 1}],
            "columns": [{"name": "a", "numpy_type": "int64"}, {"name": "c", "numpy_type": "object"}],
        });
        assert_eq!(joined, wanted);
        pandas.add(b"{");
        assert_eq!(pandas.joined(6, &Edits::default()), None);
    }

    #[test]
    fn columns_are_changed() {
        let metadata = json!({
            "index_columns": ["i", "j"],
            "columns": [{"name": "a", "field_name": "a"}, {"name": "b"}, {"name": "c"}, {"name": null, "field_name": "j"}],
        });
        let mut pandas = Pandas::default();
        pandas.add(metadata.to_string().as_bytes());
        let edits = Edits::default()
            .with_rename([("a", "x"), ("j", "k")])
            .with_drop(["b", "i"])
            .with_promote([
                ("c", Promotion::Type(DataType::Int64)),
                ("a", Promotion::Optional),
            ]);
        let edited: Value = serde_json::from_str(&pandas.joined(6, &edits).unwrap()).unwrap();
        let wanted = json!({
            "index_columns": ["k"],
            "columns": [{"name": "x", "field_name": "x"}, {"name": null, "field_name": "k"}],
        });
        assert_eq!(edited, wanted);
    }
}
