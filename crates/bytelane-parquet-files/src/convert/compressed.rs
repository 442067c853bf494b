//! Decompresses Arrow IPC, message by message.
//!
//! The crate `arrow-ipc` reserves as much memory as a compressed buffer claims. Here, claims are checked before, and memory grows with the
//! bytes that were decompressed.

use super::Input;
use arrow_ipc::{
    Buffer, CompressionType, DictionaryBatch, DictionaryBatchArgs, Message, MessageArgs,
    MessageHeader, RecordBatch, RecordBatchArgs, root_as_message,
};
use bytelane_parquet::budget::MemoryLimit;
use flatbuffers::{FlatBufferBuilder, WIPOffset};
use std::io::{self, Cursor, Read};

/// First bytes of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Multiple of bytes at which messages, and the buffers in them, begin.
const ALIGNMENT: usize = 8;

/// Length in the place of that of the uncompressed bytes for a buffer that is not compressed.
const NOT_COMPRESSED: i64 = -1;

/// Messages without compression, from messages that may have some.
pub struct Uncompressed {
    input: Input,
    /// Bytes of a new message.
    ready: Cursor<Vec<u8>>,
    /// Number of bytes that follow unchanged.
    unchanged: u64,
}

impl Uncompressed {
    pub fn new(input: Input) -> Self {
        Self {
            input,
            ready: Cursor::default(),
            unchanged: 0,
        }
    }

    /// Reads this many bytes, or fewer at the end.
    fn bytes(&mut self, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.input).take(count).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads the beginning of the next message, or all of it if it is compressed. Anything else is left to the decoder.
    fn message(&mut self) -> io::Result<Vec<u8>> {
        let mut message = self.bytes(8)?;
        self.unchanged = u64::MAX;
        let length = match message.split_first_chunk::<4>() {
            Some((&CONTINUATION, length)) => length.try_into().map_or(0, u32::from_le_bytes),
            _ => 0,
        };
        if length == 0 {
            return Ok(message);
        }
        let metadata = self.bytes(length.into())?;
        message.extend(&metadata);
        let Ok(parsed) = root_as_message(&metadata) else {
            return Ok(message);
        };
        let length =
            u64::try_from(parsed.bodyLength()).map_err(|_| invalid("a negative length"))?;
        if compression(&parsed).is_none() {
            self.unchanged = length;
            return Ok(message);
        }
        self.unchanged = 0;
        let body = self.bytes(length)?;
        uncompressed(&parsed, &body)
    }
}

impl Read for Uncompressed {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.ready.read(bytes)?;
            if length > 0 || bytes.is_empty() {
                return Ok(length);
            }
            if self.unchanged > 0 {
                let length = (&mut self.input).take(self.unchanged).read(bytes)?;
                self.unchanged -= length as u64;
                return Ok(length);
            }
            self.ready = Cursor::new(self.message()?);
        }
    }
}

fn batch<'a>(message: &Message<'a>) -> Option<RecordBatch<'a>> {
    let dictionary = message.header_as_dictionary_batch();
    message
        .header_as_record_batch()
        .or_else(|| dictionary.and_then(|it| it.data()))
}

fn compression(message: &Message<'_>) -> Option<CompressionType> {
    Some(batch(message)?.compression()?.codec())
}

/// Returns a message without compression.
fn uncompressed(message: &Message<'_>, body: &[u8]) -> io::Result<Vec<u8>> {
    let (Some(batch), Some(codec)) = (batch(message), compression(message)) else {
        return Err(invalid("a message without rows"));
    };
    let limit = MemoryLimit(None).of_read(body.len() as u64);
    let (mut buffers, mut new) = (Vec::new(), Vec::new());
    for buffer in batch.buffers().into_iter().flatten() {
        let start = new.len();
        decompress(codec, part(buffer, body)?, limit, &mut new)?;
        buffers.push(Buffer::new(start as i64, (new.len() - start) as i64));
        pad(&mut new);
    }

    let mut builder = FlatBufferBuilder::new();
    let nodes: Vec<_> = batch.nodes().into_iter().flatten().copied().collect();
    let nodes = builder.create_vector(&nodes);
    let buffers = builder.create_vector(&buffers);
    let counts = batch.variadicBufferCounts();
    let counts = counts.map(|it| builder.create_vector(&it.iter().collect::<Vec<i64>>()));
    let arguments = RecordBatchArgs {
        length: batch.length(),
        nodes: Some(nodes),
        buffers: Some(buffers),
        compression: None,
        variadicBufferCounts: counts,
    };
    let rows = RecordBatch::create(&mut builder, &arguments);
    let header: WIPOffset<_> = match message.header_as_dictionary_batch() {
        Some(dictionary) => {
            let arguments = DictionaryBatchArgs {
                id: dictionary.id(),
                data: Some(rows),
                isDelta: dictionary.isDelta(),
            };
            DictionaryBatch::create(&mut builder, &arguments).as_union_value()
        }
        None => rows.as_union_value(),
    };
    let header_type: MessageHeader = message.header_type();
    let arguments = MessageArgs {
        version: message.version(),
        header_type,
        header: Some(header),
        bodyLength: new.len() as i64,
        custom_metadata: None,
    };
    let written = Message::create(&mut builder, &arguments);
    builder.finish(written, None);
    let mut metadata = builder.finished_data().to_vec();
    pad(&mut metadata);
    let length = u32::try_from(metadata.len()).map_err(|_| invalid("too many buffers"))?;
    let mut bytes = CONTINUATION.to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.append(&mut metadata);
    bytes.append(&mut new);
    Ok(bytes)
}

/// Returns the bytes of a buffer.
fn part<'a>(buffer: &Buffer, body: &'a [u8]) -> io::Result<&'a [u8]> {
    let start = usize::try_from(buffer.offset()).ok();
    let length = usize::try_from(buffer.length()).ok();
    let bytes = start.zip(length).and_then(|(start, length)| {
        let end = start.checked_add(length)?;
        body.get(start..end)
    });
    bytes.ok_or_else(|| invalid("a buffer outside of its message"))
}

/// Appends the values of a buffer, of which a message has up to `limit` bytes.
fn decompress(
    codec: CompressionType,
    bytes: &[u8],
    limit: u64,
    to: &mut Vec<u8>,
) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let (claimed, bytes) = bytes
        .split_first_chunk()
        .ok_or_else(|| invalid("a compressed buffer without its length"))?;
    let claimed = i64::from_le_bytes(*claimed);
    if claimed == NOT_COMPRESSED {
        to.extend(bytes);
        return Ok(());
    }
    let claimed = u64::try_from(claimed).map_err(|_| invalid("a buffer of a negative length"))?;
    let start = to.len() as u64;
    if start.saturating_add(claimed) > limit {
        let problem = format!("a message that takes more than {limit} bytes of memory");
        return Err(invalid(&problem));
    }
    // One more byte tells that there are too many.
    let decompressed = match codec {
        CompressionType::ZSTD => zstd::stream::read::Decoder::new(bytes)?
            .take(claimed + 1)
            .read_to_end(to),
        CompressionType::LZ4_FRAME => lz4_flex::frame::FrameDecoder::new(bytes)
            .take(claimed + 1)
            .read_to_end(to),
        other => return Err(invalid(&format!("an unknown compression, {other:?}"))),
    };
    match decompressed {
        Ok(length) if length as u64 == claimed => Ok(()),
        Ok(_) => Err(invalid("a buffer of another length than it claims")),
        Err(error) => Err(invalid(&format!("a damaged buffer: {error}"))),
    }
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}

fn invalid(problem: &str) -> io::Error {
    let problem = format!("the Arrow data has {problem}");
    io::Error::new(io::ErrorKind::InvalidData, problem)
}
