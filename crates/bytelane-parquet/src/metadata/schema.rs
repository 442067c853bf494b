//! What a footer's schema claims, checked before anything is allocated for it or recursed into.

use super::Fields;
use crate::budget::MemoryLimit;
use crate::contained::contained;
use crate::{Error, Problem, Result};
use parquet::basic::LogicalType;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

/// The field of `FileMetaData` in parquet.thrift with the elements of the schema.
const SCHEMA: i16 = 2;

/// The field of `SchemaElement` with the number of its children.
const CHILDREN: i16 = 5;

/// The field with its name.
const NAME: i16 = 4;

/// Other fields of `SchemaElement`: the physical type, and those of annotations.
const TYPE: i16 = 1;
const ANNOTATIONS: [i16; 4] = [6, 7, 8, 10];

/// Fields of `FileMetaData` that the crate `parquet` asks for.
const VERSION: i16 = 1;
const ROWS: i16 = 3;
const ROW_GROUPS: i16 = 4;

/// How many groups may be within each other. Lists and nulls have levels of 8 bits; required groups have none.
const MAX_DEPTH: usize = 512;

/// How deep the groups of a schema are nested; an error if that is too deep, or if a group claims more children than
/// there are elements.
pub(crate) fn depth_of_schema(file: &Fields) -> Result<usize> {
    let damaged = |error| Error::corrupt(format!("the footer is damaged: {error}"));
    if file.is_repeated(SCHEMA) {
        return Err(Error::corrupt("the footer has two schemas"));
    }
    let elements = file.items(SCHEMA).map_err(damaged)?;
    // Each leaf gets a path of its own, of the names of all groups around it.
    let bytes = elements.iter().map(|element| element.len() as u64).sum();
    let limit = MemoryLimit::default().of_metadata(bytes);
    let mut bytes_of_paths = 0_u64;
    // For each group around an element, the children to come and the bytes of the path.
    let mut groups: Vec<(usize, u64)> = Vec::new();
    let mut depth = 0;
    for (index, element) in elements.iter().enumerate() {
        let bytes_of_element = element.len();
        let (element, _) = Fields::read(element).map_err(damaged)?;
        while groups.pop_if(|(left, _)| *left == 0).is_some() {}
        let mut path = bytes_of_element as u64;
        if let Some((left, around)) = groups.last_mut() {
            *left -= 1;
            path += *around;
        }
        let children = element.get::<i32>(CHILDREN).map_err(damaged)?;
        let (children, left) = (children.unwrap_or(0), elements.len() - index - 1);
        let children = usize::try_from(children).ok().filter(|it| *it <= left);
        let Some(children) = children.filter(|_| !element.is_repeated(CHILDREN)) else {
            return Err(Error::corrupt(format!(
                "the schema has a group of other children than the {left} elements that follow it"
            )));
        };
        if children > 0 {
            groups.push((children, path));
            depth = depth.max(groups.len());
        } else {
            bytes_of_paths = bytes_of_paths.saturating_add(path);
        }
        if bytes_of_paths > limit {
            return Err(Error::corrupt(format!(
                "the names of its columns take more than {limit} bytes of memory, because groups share long ones"
            )));
        }
        if depth > MAX_DEPTH {
            let problem = format!("its columns are nested in more than {MAX_DEPTH} groups");
            return Err(Problem::Unsupported(problem).into());
        }
    }
    Ok(depth)
}

/// Leaves out the annotations of leaves that the crate `parquet` refuses, because they are unknown or do not fit the
/// physical type, which takes their place.
pub(crate) fn without_misfits(
    file: &mut Fields,
) -> std::result::Result<(), bytelane_thrift::Error> {
    let mut elements = file.structures(SCHEMA)?;
    for element in elements.iter_mut().filter(|element| element.has(TYPE)) {
        let is_annotated = ANNOTATIONS.iter().any(|field| element.has(*field));
        if is_annotated && !is_readable(element)? {
            ANNOTATIONS.iter().for_each(|field| element.remove(*field));
        }
    }
    file.set_structures(SCHEMA, &elements)
}

/// Whether the crate `parquet` reads a schema of this leaf alone.
fn is_readable(leaf: &Fields) -> std::result::Result<bool, bytelane_thrift::Error> {
    let mut root = Fields::default();
    root.set(NAME, &"schema".to_owned())?;
    root.set(CHILDREN, &1_i32)?;
    let mut file = Fields::default();
    file.set(VERSION, &1_i32)?;
    file.set_structures(SCHEMA, &[root, leaf.clone()])?;
    file.set(ROWS, &0_i64)?;
    file.set_structures(ROW_GROUPS, &[])?;
    let file = file.write()?;
    let read = contained(|| Ok(ParquetMetaDataReader::decode_metadata(&file)?));
    Ok(read.is_ok_and(|read| !has_unknown_type(&read)))
}

/// Whether a leaf has a logical type that the crate `parquet` does not know.
pub(crate) fn has_unknown_type(metadata: &ParquetMetaData) -> bool {
    let mut leaves = metadata.file_metadata().schema_descr().columns().iter();
    leaves.any(|leaf| matches!(leaf.logical_type_ref(), Some(LogicalType::_Unknown { .. })))
}
