//! Programs that are made once more, for the runs after this one: one that took too long to translate with full effort, and was made
//! with less, and one that nobody wanted any more before all of its code was there.
//!
//! So it depends on no machine's speed what code a program has in the end, but where full effort takes more than a minute of a
//! processor's time; and a program that always ends early finds its code the next time.

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

/// Begins to make a program whose translator is about to be ended, with its bitcode and what its log said so far.
pub fn finish(bitcode: &[u8], log: &[u8], place: &Place, options: &str) {
    if aside::mode() != Mode::Never {
        _ = make(bitcode, log, place, options, &|| {});
    }
}

fn begin(image: &Image, tries: u8, place: &Place, options: &str) -> std::io::Result<()> {
    make(&image.bitcode, &image.log, place, options, &|| {
        // Before it may end: then it replaces this.
        place.write(&Image { hurried: Some(tries + 1), ..image.clone() });
    })
}

/// Begins it, if nobody makes the same and few make anything; `first` is done before.
fn make(
    bitcode: &[u8],
    log: &[u8],
    place: &Place,
    options: &str,
    first: &dyn Fn(),
) -> std::io::Result<()> {
    let found = translator::find().map_err(std::io::Error::other)?;
    let request = Request {
        translator: &std::path::absolute(found)?,
        verb: "link",
        words: &[],
        last_words: &["--", options],
        bitcode,
        files: &[("image", &Image::head(bitcode)), ("said", log)],
    };
    aside::claimed(place, aside::MOST_AT_ONCE, |folder| {
        first();
        let process = request.start(place, &folder.path, Some(&folder.lock), None)?;
        process.yield_to_others();
        Ok(())
    })?;
    Ok(())
}
