//! Decodes the Arrow schema that a writer left in the metadata of a file.

use crate::catch_panic::catch_panic;
use crate::{Error, Result};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::root_as_message;
use arrow_schema::Schema;
use bytelane::base64::STANDARD;

/// Returns the Arrow schema in the value of the pair `ARROW:schema`.
pub(crate) fn written_schema(encoded: &str) -> Result<Schema> {
    let odd = || Error::corrupt("the Arrow schema is damaged");
    let message = STANDARD.decode_to_vec(encoded).map_err(|_| odd())?;
    let message = match message.as_slice() {
        [0xff, 0xff, 0xff, 0xff, _, _, _, _, message @ ..] => message,
        message => message,
    };
    let message = root_as_message(message).map_err(|_| odd())?;
    let schema = message.header_as_schema().ok_or_else(odd)?;
    // The conversion may panic if the message is damaged.
    catch_panic(|| try_fb_to_schema(schema).map_err(|_| odd()))
}
