// Made by bytelane-thrift-build from shared.thrift; changes here get lost.

pub type Timestamp = i64;

#[derive(Clone, Debug, PartialEq, Copy, Default, Eq, PartialOrd, Ord, Hash, bytelane_thrift::Thrift)]
pub enum Priority {
    #[default]
    #[thrift(value = -1)]
    Low,
    #[thrift(value = 10)]
    High,
    /// A number that this version does not know.
    #[thrift(unknown)]
    Unknown(i32),
}

#[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
pub struct Header {
    #[thrift(id = 1, required)]
    pub trace_id: String,
    #[thrift(id = 2)]
    pub at: Option<Timestamp>,
}

pub const LIMIT: i32 = 100;

pub mod base {
    /// Arguments of `ping`.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "ping_args")]
    pub struct PingArgs {}

    /// What `ping` returns or throws.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "ping_result")]
    pub struct PingResult {}
}
