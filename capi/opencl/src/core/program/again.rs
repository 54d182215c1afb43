//! A program that took too long to translate with full effort, and was made with less: it is made again meanwhile, for the
//! runs after this one.
//!
//! So it depends on no machine's speed what code a program has in the end, but where full effort takes more than a minute of a
//! processor's time.

use super::aside::{self, MOST_TRIES, Mode, Request};
use super::cache::Place;
use super::image::Image;
use super::translator;
use std::env;

/// Begins to make what is at this place with full effort, if there is reason to. What cannot be begun now may be the next time.
pub fn improve(image: &Image, place: &Place, options: &str) {
    let is_wanted = aside::mode() != Mode::Never && env::var_os("VICINITY_EFFORT").is_none();
    if let Some(tries) = image.hurried.filter(|&tries| is_wanted && tries < MOST_TRIES) {
        _ = begin(image, tries, place, options);
    }
}

fn begin(image: &Image, tries: u8, place: &Place, options: &str) -> std::io::Result<()> {
    let found = translator::find().map_err(std::io::Error::other)?;
    let request = Request {
        translator: &std::path::absolute(found)?,
        verb: "link",
        words: &[],
        last_words: &["--", options],
        bitcode: &image.bitcode,
        files: &[("image", &Image::head(&image.bitcode)), ("said", &image.log)],
    };
    aside::claimed(place, |folder| {
        // Before it may end: then it replaces this.
        place.write(&Image { hurried: Some(tries + 1), ..image.clone() });
        let process = request.start(place, &folder.path, Some(&folder.lock), None)?;
        process.yield_to_others();
        Ok(())
    })?;
    Ok(())
}
