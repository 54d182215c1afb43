//! Where the code of a bare executable is to be found: of one that was asked for as a binary while its code was still being made.
//!
//! Such a binary has bitcode, and says where in the cache the whole program will be and by which options it was built. Built again, it is
//! what is being made in this process, or what is in the cache, or is translated anew. A place in the cache counts only if what is
//! there is of the same bitcode.

use super::cache::Place;
use super::image::Image;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Home {
    /// The name of the whole program's file in the cache.
    cached: String,
    /// Of the build.
    pub options: String,
}

impl Home {
    pub fn new(place: &Place, options: &str) -> Option<Home> {
        Some(Home { cached: place.name()?.to_owned(), options: options.to_owned() })
    }

    /// What a bare executable says; `None` if it says nothing, as that of another processor.
    pub fn of(image: &Image) -> Option<Home> {
        serde_json::from_slice(&image.description).ok()
    }

    /// The executable of bitcode alone with this in it.
    pub fn put_in(&self, bare: &Image) -> Image {
        let description = serde_json::to_vec(self).expect("two texts");
        Image { description, ..bare.clone() }
    }

    /// The whole program, if it is in the cache.
    pub fn find(&self, bare: &Image) -> Option<Arc<Image>> {
        let image = Place::named(&self.cached)?.read()?;
        (image.bitcode == bare.bitcode && !image.is_bare()).then(|| Arc::new(image))
    }
}
