//! The crate `parquet`, Blosc2 and Arrow C++.

use super::{Comparison, Peer, Received, Work, arrow, blosc2, comparison, show};
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::data_type::{
    ByteArray, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType,
};
use parquet::encodings::decoding::get_decoder;
use parquet::encodings::encoding::get_encoder;
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, ColumnPath, Type};
use std::sync::Arc;

pub const COMPARISON: Comparison = comparison(
    &["smooth"],
    &[
        16, 100, 300, 1024, 4096, 4097, 32_768, 65_536, 65_537, 1_000_000,
    ],
    false,
);

pub fn peers<const K: usize>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    let parquet = match K {
        4 => parquet::<FloatType>(PhysicalType::FLOAT, K),
        8 => parquet::<DoubleType>(PhysicalType::DOUBLE, K),
        _ => parquet_fixed(K),
    };
    let mut peers = vec![parquet?];
    peers.extend(blosc2::byte_stream_split(K)?);
    peers.extend(arrow::byte_stream_split::<K>()?);
    Ok(peers)
}

fn column(physical: PhysicalType, width: usize) -> anyhow::Result<ColumnDescPtr> {
    let column = Type::primitive_type_builder("values", physical)
        .with_length(width as i32)
        .build()?;
    Ok(Arc::new(ColumnDescriptor::new(
        Arc::new(column),
        0,
        0,
        ColumnPath::new(vec![]),
    )))
}

/// Creates a peer with the crate `parquet`, for values that are numbers.
fn parquet<T: DataType>(physical: PhysicalType, width: usize) -> anyhow::Result<Peer>
where
    T::T: bytemuck::Pod,
{
    let column = column(physical, width)?;
    let mut encoder = get_encoder::<T>(Encoding::BYTE_STREAM_SPLIT, &column)?;
    let mut decoder = get_decoder::<T>(column, Encoding::BYTE_STREAM_SPLIT)?;
    let encode: Work = Box::new(move |values, streams| {
        encoder
            .put(bytemuck::cast_slice(values))
            .expect("it takes any values");
        show(&encoder.flush_buffer().expect("it has values"), streams)
    });
    let mut page = Received::default();
    let decode: Work = Box::new(move |streams, values| {
        let values: &mut [T::T] = bytemuck::cast_slice_mut(values);
        decoder
            .set_data(page.of(streams), values.len())
            .expect("a page of its own");
        decoder.get(values).expect("as many values as it has") * size_of::<T::T>()
    });
    Ok(Peer::new("parquet", encode, decode))
}

/// Creates a peer with the crate `parquet`, for values of other widths: each is an object of its
/// own there, created before timing.
fn parquet_fixed(width: usize) -> anyhow::Result<Peer> {
    let column = column(PhysicalType::FIXED_LEN_BYTE_ARRAY, width)?;
    let mut encoder = get_encoder::<FixedLenByteArrayType>(Encoding::BYTE_STREAM_SPLIT, &column)?;
    let mut objects: Vec<FixedLenByteArray> = Vec::new();
    let encode: Work = Box::new(move |values, streams| {
        if objects.len() != values.len() / width {
            let object = |value: &[u8]| ByteArray::from(value.to_vec()).into();
            objects = values.chunks_exact(width).map(object).collect();
        }
        encoder.put(&objects).expect("it takes any values");
        show(&encoder.flush_buffer().expect("it has values"), streams)
    });
    Ok(Peer::encoder("parquet", encode))
}
