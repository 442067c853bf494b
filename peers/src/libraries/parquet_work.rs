//! Calls of the crate `parquet`: compiled here for the default target, and by the package `native`
//! for this machine.

use super::buffers::{Received, Work, show};
use super::nulls;
use arrow_array::types::{Float32Type, Float64Type};
use bytemuck::Pod;
use parquet::basic::Encoding;
use parquet::data_type::{DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::encodings::decoding::get_decoder;
use parquet::encodings::encoding::{
    DeltaBinaryPackedEncoderOptions, DeltaBitPackEncoder, Encoder, get_encoder,
};
use parquet::encodings::rle::{RleDecoder, RleEncoder};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, ColumnPath, Type};
use parquet::util::bit_util::{BitPacking, BitReader, BitWriter};
use std::sync::Arc;

/// Kind of work of the crate, on values of some number of bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub enum Kind {
    /// Bit packing with a width.
    Packed(usize),
    Delta,
    /// Runs of values of a width.
    Runs(usize),
    /// Runs of indices of a width, to the entries of a dictionary, which are the indices themselves.
    Entries(usize),
    /// Levels of two bytes, 0 or 1, to a bitmap.
    Levels,
    /// Floats with a percentage of nulls.
    Nulls(usize),
    /// Floats as decimal integers.
    Alp,
}

/// Returns work on values of `bytes` bytes.
pub fn work(encodes: bool, bytes: usize, kind: Kind) -> Work<'static> {
    match (encodes, bytes, kind) {
        (true, 1, Kind::Packed(width)) => pack::<u8>(width),
        (true, 4, Kind::Packed(width)) => pack::<u32>(width),
        (true, _, Kind::Packed(width)) => pack::<u64>(width),
        (false, 1, Kind::Packed(width)) => unpack::<u8>(width),
        (false, 4, Kind::Packed(width)) => unpack::<u32>(width),
        (false, _, Kind::Packed(width)) => unpack::<u64>(width),
        (true, 4, Kind::Delta) => delta_encode::<Int32Type>(),
        (true, _, Kind::Delta) => delta_encode::<Int64Type>(),
        (false, 4, Kind::Delta) => decode::<Int32Type>(Encoding::DELTA_BINARY_PACKED),
        (false, _, Kind::Delta) => decode::<Int64Type>(Encoding::DELTA_BINARY_PACKED),
        (true, 4, Kind::Alp) => alp_encode::<FloatType>(),
        (true, _, Kind::Alp) => alp_encode::<DoubleType>(),
        (false, 4, Kind::Alp) => decode::<FloatType>(Encoding::ALP),
        (false, _, Kind::Alp) => decode::<DoubleType>(Encoding::ALP),
        (true, 1, Kind::Runs(width) | Kind::Entries(width)) => runs_encode::<u8>(width),
        (true, 2, Kind::Runs(width) | Kind::Entries(width)) => runs_encode::<u16>(width),
        (true, 4, Kind::Runs(width) | Kind::Entries(width)) => runs_encode::<u32>(width),
        (true, _, Kind::Runs(width) | Kind::Entries(width)) => runs_encode::<u64>(width),
        (false, 1, Kind::Runs(width)) => runs_decode::<u8>(width),
        (false, 2, Kind::Runs(width)) => runs_decode::<u16>(width),
        (false, _, Kind::Runs(width)) => runs_decode::<u32>(width),
        (true, _, Kind::Levels) => nulls::bitmap(),
        (false, _, Kind::Levels) => nulls::levels(),
        (true, 4, Kind::Nulls(percent)) => nulls::spread::<f32>(percent),
        (true, _, Kind::Nulls(percent)) => nulls::spread::<f64>(percent),
        (false, 4, Kind::Nulls(percent)) => nulls::compact::<Float32Type>(percent),
        (false, _, Kind::Nulls(percent)) => nulls::compact::<Float64Type>(percent),
        (false, 4, Kind::Entries(width)) => entries::<u32>(width),
        (false, _, Kind::Entries(width)) => entries::<u64>(width),
    }
}

/// Encodes values to runs. The encoder takes 64-bit numbers.
fn runs_encode<T: Pod + Into<u64>>(width: usize) -> Work<'static> {
    let mut wide: Vec<u64> = Vec::new();
    let mut received = 0;
    let mut room = Vec::new();
    Box::new(move |values, bytes| {
        if received != values.as_ptr().addr() {
            let values: &[T] = bytemuck::cast_slice(values);
            wide = values.iter().map(|&value| value.into()).collect();
            received = values.as_ptr().addr();
        }
        room.clear();
        let mut encoder = RleEncoder::new_from_buf(width as u8, std::mem::take(&mut room));
        encoder.put_batch(&wide);
        room = encoder.consume();
        show(&room, bytes)
    })
}

fn runs_decode<T: BitPacking + Pod>(width: usize) -> Work<'static> {
    let mut page = Received::default();
    Box::new(move |bytes, values| {
        let values: &mut [T] = bytemuck::cast_slice_mut(values);
        // Created for each page, since a decoder remembers the rest of its last run.
        let mut decoder = RleDecoder::new(width as u8);
        decoder.set_data(page.of(bytes)).expect("runs");
        decoder.get_batch(values).expect("as many values") * size_of::<T>()
    })
}

fn entries<T: Pod + Default + TryFrom<u64>>(width: usize) -> Work<'static> {
    let mut page = Received::default();
    let number = |i| T::try_from(i).unwrap_or_default();
    // Smaller dictionaries are equally fast.
    let dictionary: Vec<T> = (0..1 << width).map(number).collect();
    Box::new(move |bytes, values| {
        let values: &mut [T] = bytemuck::cast_slice_mut(values);
        let mut decoder = RleDecoder::new(width as u8);
        decoder.set_data(page.of(bytes)).expect("runs");
        let count = values.len();
        let found = decoder.get_batch_with_dict(&dictionary, values, count);
        found.expect("indices of entries") * size_of::<T>()
    })
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
    // Uses the blocks of bytelane, and of most writers; its own have 64 values per miniblock of
    // `i64`.
    let sizes = DeltaBinaryPackedEncoderOptions::try_new(128, 4).expect("sizes that are allowed");
    let mut encoder = DeltaBitPackEncoder::<T>::new_with_options(sizes);
    Box::new(move |values, bytes| {
        let values = bytemuck::cast_slice(values);
        encoder.put(values).expect("it takes any values");
        show(&encoder.flush_buffer().expect("it has values"), bytes)
    })
}

/// Encodes ALP. The encoder samples its first page, before timing, and uses the pairs of that one for all others.
fn alp_encode<T: DataType>() -> Work<'static>
where
    T::T: Pod,
{
    let mut encoder =
        get_encoder::<T>(Encoding::ALP, &column::<T>()).expect("it knows the encoding");
    Box::new(move |values, bytes| {
        let values = bytemuck::cast_slice(values);
        encoder.put(values).expect("it takes any values");
        show(&encoder.flush_buffer().expect("it has values"), bytes)
    })
}

fn column<T: DataType>() -> ColumnDescPtr {
    let column = Type::primitive_type_builder("values", T::get_physical_type());
    let column = Arc::new(column.build().expect("a column of numbers"));
    let path = ColumnPath::new(Vec::new());
    Arc::new(ColumnDescriptor::new(column, 0, 0, path))
}

fn decode<T: DataType>(encoding: Encoding) -> Work<'static>
where
    T::T: Pod,
{
    let mut decoder = get_decoder::<T>(column::<T>(), encoding).expect("it knows the encoding");
    let mut page = Received::default();
    Box::new(move |bytes, values| {
        let values: &mut [T::T] = bytemuck::cast_slice_mut(values);
        let page = page.of(bytes);
        decoder.set_data(page, values.len()).expect("a page");
        decoder.get(values).expect("as many values as it has") * size_of::<T::T>()
    })
}
