//! Tables, their columns and schemas.

pub mod column;
pub mod rows;
pub mod schema;
