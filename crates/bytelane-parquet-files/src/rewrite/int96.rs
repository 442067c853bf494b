//! Converts INT96, the deprecated timestamp type, to INT64.

use arrow_schema::{DataType, Field, FieldRef, Schema, TimeUnit as ArrowUnit};
use bytelane_parquet::format::{
    self, ColumnOrder, Encoded, FileMetaData, PhysicalType, TimestampType,
};
use bytelane_parquet::{Error, Problem, Result};
use parquet::basic::{LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescPtr;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Unit of the timestamps that replace INT96. They have no time zone, which is how readers interpret INT96.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int96Unit {
    /// TIMESTAMP(MICROS), for the years -290308 to 294247.
    Micros,
    /// TIMESTAMP(NANOS), for the years 1677 to 2262.
    Nanos,
}

impl Int96Unit {
    /// Both units.
    pub const ALL: [Self; 2] = [Self::Micros, Self::Nanos];

    /// Returns `us` or `ns`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Micros => "us",
            Self::Nanos => "ns",
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Micros => Self::Nanos,
            Self::Nanos => Self::Micros,
        }
    }

    pub(super) fn in_arrow(self) -> ArrowUnit {
        match self {
            Self::Micros => ArrowUnit::Microsecond,
            Self::Nanos => ArrowUnit::Nanosecond,
        }
    }

    pub(super) fn logical_type(self) -> LogicalType {
        let unit = match self {
            Self::Micros => TimeUnit::MICROS,
            Self::Nanos => TimeUnit::NANOS,
        };
        LogicalType::timestamp(false, unit)
    }
}

impl fmt::Display for Int96Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Int96Unit {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|unit| unit.name() == name);
        found.ok_or_else(|| Problem::Option(format!("{name:?} is neither us nor ns")).into())
    }
}

/// Turns INT96 leaves of a footer's schema into timestamps, with the column order of the new type.
pub(super) fn convert_schema(file: &mut FileMetaData, unit: Int96Unit) -> Result<()> {
    let logical = Encoded::new(&format::LogicalType::Timestamp(TimestampType {
        is_adjusted_to_utc: false,
        unit: match unit {
            Int96Unit::Micros => format::TimeUnit::Micros(Default::default()),
            Int96Unit::Nanos => format::TimeUnit::Nanos(Default::default()),
        },
        ..Default::default()
    }))?;
    let elements = file.schema.iter_mut();
    let leaves = elements.filter(|element| element.physical_type.is_some());
    for (leaf, element) in leaves.enumerate() {
        if element.physical_type != Some(PhysicalType::Int96) {
            continue;
        }
        element.physical_type = Some(PhysicalType::Int64);
        element.logical_type = Some(logical.clone());
        let orders = file.column_orders.as_mut();
        if let Some(order) = orders.and_then(|orders| orders.get_mut(leaf)) {
            *order = ColumnOrder::TypeOrder(Default::default());
        }
    }
    Ok(())
}

/// Returns the Arrow schema of a column with INT96 leaves as timestamps in this unit.
pub(super) fn arrow_schema(schema: &Schema, leaves: &[ColumnDescPtr], unit: Int96Unit) -> Schema {
    let mut leaves = leaves.iter();
    let fields = schema.fields().iter();
    let fields = fields.map(|field| in_unit(field, &mut leaves, unit));
    Schema::new(fields.collect::<Vec<_>>())
}

fn in_unit<'a>(
    field: &FieldRef,
    leaves: &mut impl Iterator<Item = &'a ColumnDescPtr>,
    unit: Int96Unit,
) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|it| in_unit(it, leaves, unit)).collect())
        }
        DataType::List(item) => DataType::List(in_unit(item, leaves, unit)),
        DataType::Map(entries, sorted) => DataType::Map(in_unit(entries, leaves, unit), *sorted),
        own => match leaves.next().map(|leaf| leaf.physical_type()) {
            Some(Type::INT96) => DataType::Timestamp(unit.in_arrow(), None),
            _ => own.clone(),
        },
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}
