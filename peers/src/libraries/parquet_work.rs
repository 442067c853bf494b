//! What the crate `parquet` is asked to do: compiled here for the default target, and by the package
//! `native` for the machine.

use super::buffers::{Received, Work, show};
use bytemuck::Pod;
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::encodings::decoding::get_decoder;
use parquet::encodings::encoding::{DeltaBinaryPackedEncoderOptions, DeltaBitPackEncoder, Encoder};
use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type};
use parquet::util::bit_util::{BitPacking, BitReader, BitWriter};
use std::sync::Arc;

/// Work on values of `bytes` bytes: bit packing with a width, or delta encoding without.
pub fn work(encodes: bool, bytes: usize, width: Option<usize>) -> Work<'static> {
    match (encodes, bytes, width) {
        (true, 1, Some(width)) => pack::<u8>(width),
        (true, 4, Some(width)) => pack::<u32>(width),
        (true, _, Some(width)) => pack::<u64>(width),
        (false, 1, Some(width)) => unpack::<u8>(width),
        (false, 4, Some(width)) => unpack::<u32>(width),
        (false, _, Some(width)) => unpack::<u64>(width),
        (true, 4, None) => delta_encode::<Int32Type>(),
        (true, _, None) => delta_encode::<Int64Type>(),
        (false, 4, None) => delta_decode::<Int32Type>(PhysicalType::INT32),
        (false, _, None) => delta_decode::<Int64Type>(PhysicalType::INT64),
    }
}

fn pack<T: BitPacking + Pod>(width: usize) -> Work<'static> {
    let mut writer = BitWriter::new(0);
    Box::new(move |values, bytes| {
        writer.clear();
        writer.put_batch::<T>(bytemuck::cast_slice(values), width);
        show(writer.flush_buffer(), bytes)
    })
}

fn unpack<T: BitPacking + Pod>(width: usize) -> Work<'static> {
    let mut packed = Received::default();
    Box::new(move |bytes, values| {
        let mut reader = BitReader::new(packed.of(bytes));
        reader.get_batch::<T>(bytemuck::cast_slice_mut(values), width) * size_of::<T>()
    })
}

fn delta_encode<T: DataType>() -> Work<'static>
where
    T::T: Pod,
{
    // The blocks of bytelane, and of most writers; its own have 64 values per miniblock of `i64`.
    let sizes = DeltaBinaryPackedEncoderOptions::try_new(128, 4).expect("sizes that are allowed");
    let mut encoder = DeltaBitPackEncoder::<T>::new_with_options(sizes);
    Box::new(move |values, bytes| {
        let values = bytemuck::cast_slice(values);
        encoder.put(values).expect("it takes any values");
        show(&encoder.flush_buffer().expect("it has values"), bytes)
    })
}

fn delta_decode<T: DataType>(physical: PhysicalType) -> Work<'static>
where
    T::T: Pod,
{
    let column = Type::primitive_type_builder("values", physical);
    let column = Arc::new(column.build().expect("a column of numbers"));
    let path = ColumnPath::new(Vec::new());
    let column = Arc::new(ColumnDescriptor::new(column, 0, 0, path));
    let mut decoder =
        get_decoder::<T>(column, Encoding::DELTA_BINARY_PACKED).expect("it knows the encoding");
    let mut page = Received::default();
    Box::new(move |bytes, values| {
        let values: &mut [T::T] = bytemuck::cast_slice_mut(values);
        let page = page.of(bytes);
        decoder.set_data(page, values.len()).expect("a page");
        decoder.get(values).expect("as many values as it has") * size_of::<T::T>()
    })
}
