//! Another way to make a kernel's code than the one that seems best, for whoever runs both and keeps the better one.

use crate::program::options::Options;
use crate::schedule::{Order, Wish};
use crate::vector::facts::support::Wanted;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Vectors of items, where single items seem better.
    Vectors,
    /// Single items, where vectors seem better.
    Items,
    /// Vectors of half as many items.
    Half,
    /// Vectors of twice as many items.
    Double,
    /// All loops depth-first.
    Dfo,
    /// All loops breadth-first.
    Bfo,
}

impl Way {
    pub fn parse(text: &str) -> Option<Way> {
        match text {
            "vectors" => Some(Way::Vectors),
            "items" => Some(Way::Items),
            "half" => Some(Way::Half),
            "double" => Some(Way::Double),
            "dfo" => Some(Way::Dfo),
            "bfo" => Some(Way::Bfo),
            _ => None,
        }
    }

    /// For people.
    pub fn described(self) -> &'static str {
        match self {
            Way::Vectors => "by vectors of items",
            Way::Items => "item by item",
            Way::Half => "by vectors of half as many items",
            Way::Double => "by vectors of twice as many items",
            Way::Dfo => "with all loops depth-first",
            Way::Bfo => "with all loops breadth-first",
        }
    }

    /// Asks for it.
    pub fn ask(self, options: &mut Options) {
        match self {
            Way::Vectors => options.vectors = Wanted::Always,
            Way::Items => options.vectors = Wanted::Never,
            Way::Half => options.vectors = Wanted::Half,
            Way::Double => options.vectors = Wanted::Double,
            Way::Dfo => options.order = Wish::Always(Order::DepthFirst),
            Way::Bfo => options.order = Wish::Always(Order::BreadthFirst),
        }
    }
}
