// Made by bytelane-thrift-build from everything.thrift; changes here get lost.

/// The colours.
#[derive(Clone, Debug, PartialEq, Copy, Default, Eq, PartialOrd, Ord, Hash, bytelane_thrift::Thrift)]
pub enum Color {
    #[default]
    #[thrift(value = 0)]
    Red,
    /// Not so bright.
    #[thrift(value = 16)]
    DarkGreen,
    #[thrift(value = 17)]
    Blue,
    #[thrift(value = 30)]
    Unknown_,
    /// A number that this version does not know.
    #[thrift(unknown)]
    Unknown(i32),
}

#[derive(Clone, Debug, PartialEq, Copy, Eq, PartialOrd, Ord, Hash, bytelane_thrift::Thrift)]
pub enum Reserved {
    /// A number that this version does not know.
    #[thrift(unknown)]
    Unknown(i32),
}

impl Default for Reserved {
    fn default() -> Self {
        Self::Unknown(0)
    }
}

pub type Word = String;

pub type Weight = f64;

pub type Weights = std::collections::BTreeMap<String, Vec<Weight>>;

pub const YES: bool = true;

pub const SMALL: i8 = -7;

pub const DOUBLED_LIMIT: i32 = 100;

pub const BIG: i64 = 1311768467294899695;

pub const PI: f64 = 3.14159;

pub const WHOLE: f64 = 2.0;

pub const GREETING: &str = "say \"hello\"\n";

pub const RAW: &[u8] = b"ab\\c";

pub const ID: bytelane_thrift::Uuid = bytelane_thrift::Uuid([0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]);

pub const FAVOURITE: Color = Color::DarkGreen;

pub const NUMBER_OF_FAVOURITE: i32 = 17;

pub static PRIMES: std::sync::LazyLock<Vec<i32>> = std::sync::LazyLock::new(|| vec![2, 3, 5, 7]);

pub static SETS: std::sync::LazyLock<std::collections::BTreeMap<String, std::collections::BTreeSet<bytelane_thrift::Double>>> = std::sync::LazyLock::new(|| std::collections::BTreeMap::from([("a".to_owned(), std::collections::BTreeSet::from([bytelane_thrift::Double::from(1.0), bytelane_thrift::Double::from(2.5)])), ("b".to_owned(), std::collections::BTreeSet::from([]))]));

pub static EXAMPLE: std::sync::LazyLock<Everything> = std::sync::LazyLock::new(|| Everything { message: "say \"hello\"\n".to_owned(), color: Some(Color::Unknown(99)), header: Some(super::common_shared::Header { trace_id: "t".to_owned(), ..Default::default() }), ..Default::default() });

/// A struct with a field of each kind.
#[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
pub struct Everything {
    #[thrift(id = 1, default = true)]
    pub flag: bool,
    #[thrift(id = 2, default = -7)]
    pub small: i8,
    #[thrift(id = 3)]
    pub short: i16,
    #[thrift(id = 4, required)]
    pub number: i32,
    #[thrift(id = 5, default = 1311768467294899695)]
    pub big: i64,
    #[thrift(id = 6, default = 1000.0)]
    pub real: f64,
    #[thrift(id = 7, default = "m".to_owned())]
    pub message: String,
    #[thrift(id = 8)]
    pub data: Vec<u8>,
    #[thrift(id = 9)]
    pub id: bytelane_thrift::Uuid,
    #[thrift(id = 10, default = Some(Color::Red))]
    pub color: Option<Color>,
    #[thrift(id = 11)]
    pub nested: Vec<Vec<String>>,
    #[thrift(id = 12, default = std::collections::BTreeSet::from([1, 2]))]
    pub numbers: std::collections::BTreeSet<i64>,
    #[thrift(id = 13)]
    pub by_key: std::collections::BTreeMap<Key, super::common_shared::Header>,
    #[thrift(id = 14)]
    pub header: Option<super::common_shared::Header>,
    #[thrift(id = 15)]
    pub weights: Weights,
    /// A keyword in Rust.
    #[thrift(id = 16, name = "type")]
    pub type_: String,
    #[thrift(id = 17)]
    pub doubles: std::collections::BTreeMap<bytelane_thrift::Double, std::collections::BTreeSet<bytelane_thrift::Double>>,
    #[thrift(id = 18, default = super::common_shared::Priority::High)]
    pub priority: super::common_shared::Priority,
    #[thrift(id = 19)]
    pub shape: Option<Shape>,
    #[thrift(id = 20, default = 3.14159)]
    pub weight: Weight,
    #[thrift(id = 21)]
    pub reserved: Reserved,
}

/// Its own type is a key, and so has an order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytelane_thrift::Thrift)]
pub struct Key {
    #[thrift(id = 1)]
    pub name: String,
    #[thrift(id = 2)]
    pub weight: bytelane_thrift::Double,
    #[thrift(id = 3)]
    pub inner: Vec<Inner>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytelane_thrift::Thrift)]
pub struct Inner {
    #[thrift(id = 1, default = bytelane_thrift::Double::from(0.5))]
    pub x: bytelane_thrift::Double,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytelane_thrift::Thrift)]
pub struct Tree {
    #[thrift(id = 1)]
    pub value: i32,
    #[thrift(id = 2)]
    pub left: Option<Box<Tree>>,
    #[thrift(id = 3)]
    pub right: Option<Box<Tree>>,
    #[thrift(id = 4)]
    pub others: Vec<Tree>,
    #[thrift(id = 5)]
    pub forest: Option<Box<Forest>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytelane_thrift::Thrift)]
pub struct Forest {
    #[thrift(id = 1)]
    pub first: Option<Box<Tree>>,
}

#[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
#[thrift(union)]
pub enum Shape {
    #[thrift(id = 1, name = "circle")]
    Circle(f64),
    #[thrift(id = 2, name = "poly_line")]
    PolyLine(Vec<Inner>),
    #[thrift(id = 3, name = "inside")]
    Inside(Box<Shape>),
}

#[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
pub struct Nothing {}

#[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
pub struct NotFound {
    #[thrift(id = 1)]
    pub message: String,
}

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for NotFound {}

#[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
#[thrift(name = "lower_case_error")]
pub struct LowerCaseError {
    #[thrift(id = 1)]
    pub code: i32,
}

impl std::fmt::Display for LowerCaseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for LowerCaseError {}

/// Extends the service of [`super::common_shared::base`].
pub mod calculator {
    /// Adds two numbers.
    ///
    /// Arguments of `add`.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "add_args")]
    pub struct AddArgs {
        #[thrift(id = 1)]
        pub first: i32,
        #[thrift(id = 2, default = 5)]
        pub second: i32,
    }

    /// What `add` returns or throws.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "add_result")]
    pub struct AddResult {
        #[thrift(id = 0)]
        pub success: Option<i32>,
        #[thrift(id = 1, name = "notFound")]
        pub not_found: Option<super::NotFound>,
        #[thrift(id = 2)]
        pub other: Option<super::LowerCaseError>,
    }

    /// Arguments of `log`.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "log_args")]
    pub struct LogArgs {
        #[thrift(id = 1)]
        pub text: String,
    }

    /// Arguments of `nothing`.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "nothing_args")]
    pub struct NothingArgs {}

    /// What `nothing` returns or throws.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "nothing_result")]
    pub struct NothingResult {}

    /// Arguments of `trees`.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "trees_args")]
    pub struct TreesArgs {
        #[thrift(id = 1)]
        pub of: std::collections::BTreeSet<super::Tree>,
    }

    /// What `trees` returns or throws.
    #[derive(Clone, Debug, PartialEq, bytelane_thrift::Thrift)]
    #[thrift(name = "trees_result")]
    pub struct TreesResult {
        #[thrift(id = 0)]
        pub success: Option<Vec<super::Tree>>,
    }
}
