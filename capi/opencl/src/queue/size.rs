//! The size of work-groups, where the program leaves it to us, or cannot tell.
//!
//! Rules, in this order (docs/opencl.md has them for users):
//! 1. What the kernel requires (`reqd_work_group_size`), or wishes (`work_group_size_hint`), if it divides the global size.
//! 2. Where what a row of items loads serves the rows above and below, too: a tile of a few rows, as many vectors as
//!    registers hold, with rows of full vectors and of `TILE_ROW_ITEMS`, if the global size has such divisors. Where each item of a
//!    row touches a line of the cache for itself, and shares it with neighbours along another dimension: a tile of vectors
//!    and of as many rows there as a line serves.
//! 3. Along x, which is where items become lanes of vectors (in kernels that are turned along another dimension, which changes its
//!    place with x in these rules): the largest divisor of the global size up to `MOST_ITEMS`
//!    that is a multiple of the vector's length; without one, the largest divisor if it is no shorter than a
//!    vector, and fills them where the last group of a range of one row may be smaller; without one, `MOST_ITEMS` or all there
//!    is, with a last group that is smaller, where the kernel allows that, and else the next longer divisor.
//! 4. Along y and then z, a divisor that fills the group to `ENOUGH_ITEMS`.
//! 5. Groups are halved while there are fewer than `GROUPS_FOR_EACH` for each worker and they are longer than a vector, or
//!    while what their items keep across barriers exceeds `KEPT_BYTES`.
//!
//! Of a kernel that cannot tell how its items are grouped, small groups of the program (4 by 4, or single items) grow along the
//! dimension of the vectors, so that these are full and calls of groups are few; rows of one vector become rows of two, which may go
//! together. Where rule 2 holds, they, single rows, rows shorter than a tile's and rows that are no whole vectors become tiles. Others
//! keep their shape, which may suit caches, unless their rows fill no more than a quarter of a vector (1 by 256) and vectors gain
//! clearly: these become ones of our own. Where there is not a vector of items for each worker, all groups stay the program's: it
//! has made an item of what a thread is to do.

use crate::core::program::description::Lines;

/// A vector loop of this length is long enough to hide its beginning and end.
const MOST_ITEMS: usize = 256;
/// Rows of which so many fill a vector waste most of it.
const SHORT_ROWS: usize = 4;
/// Up to such a share of what single items cost, vectors gain clearly.
pub const CLEAR: f64 = 0.5;
/// From so many on a group is worth its call.
const ENOUGH_ITEMS: usize = 64;
const GROUPS_FOR_EACH: usize = 8;
/// How full the vectors of a row are at least that is better than longer ones and a smaller one at the end.
const FULL_PERCENT: usize = 90;
/// Vectors of a tile, items of a row in it, and vectors of a row, if longer ones are fuller: one or two chunks of the translator.
const TILE_VECTORS: usize = 16;
const TILE_ROW_ITEMS: usize = 32;
const TILE_ROW_VECTORS: usize = 4;
/// Lines that a tile touches at once, which may all be of one set, and items of a line that go through it.
const MOST_LINES: usize = 16;
const MOST_IN_LINE: usize = 32;
/// Half of a small second-level cache.
const KEPT_BYTES: usize = 128 << 10;

/// What the choice depends on.
pub struct Wish {
    pub global: [usize; 3],
    pub dimensions: usize,
    /// Items that a vector holds.
    pub lanes: usize,
    /// How many items a group may have.
    pub most_items: usize,
    pub workers: usize,
    /// What an item keeps across barriers.
    pub kept_bytes: usize,
    /// The size must divide the global one.
    pub uniform: bool,
    /// Items become lanes of vectors along this dimension.
    pub along: usize,
    /// What a row of items loads serves the rows above and below, too.
    pub serves_rows: bool,
    pub lines: Option<Lines>,
    /// Vectors gain clearly: neighbours along x find what they load together, not along another dimension.
    pub clear: bool,
    pub required: Option<[usize; 3]>,
    pub hint: Option<[usize; 3]>,
}

/// Sizes that were chosen of late: programs launch a kernel again and again over few ranges, and to choose may take hundreds of divisions.
#[derive(Default)]
pub struct Chosen([Option<Choice>; MOST_CHOSEN]);

const MOST_CHOSEN: usize = 8;

#[derive(Clone, Copy)]
struct Choice {
    global: [usize; 3],
    dimensions: usize,
    /// The program's.
    local: Option<[usize; 3]>,
    chosen: [usize; 3],
}

impl Chosen {
    /// The local size for a range of a kernel, of which `choose` says what was not chosen of late.
    pub fn of(
        &mut self,
        global: [usize; 3],
        dimensions: usize,
        local: Option<[usize; 3]>,
        choose: impl FnOnce() -> [usize; 3],
    ) -> [usize; 3] {
        let number = |size: [usize; 3]| size.iter().fold(dimensions, |sum, it| sum ^ it ^ sum >> 3);
        let at = &mut self.0[number(global) % MOST_CHOSEN];
        let is_it =
            |it: &Choice| (it.global, it.dimensions, it.local) == (global, dimensions, local);
        match at.filter(is_it) {
            Some(choice) => choice.chosen,
            None => at.insert(Choice { global, dimensions, local, chosen: choose() }).chosen,
        }
    }
}

/// The local size.
pub fn choose(wish: &Wish) -> [usize; 3] {
    if let Some(required) = wish.required {
        return required;
    }
    let fits = |size: &[usize; 3]| is_whole(wish, size) && items(size) <= wish.most_items;
    if let Some(hint) = wish.hint.filter(fits) {
        return hint;
    }
    turned(wish, by_divisors(&Wish { global: turned(wish, wish.global), ..*wish }))
}

/// With the dimension of the vectors in the place of x, and the other way round, if there are enough items along it.
fn turned(wish: &Wish, mut size: [usize; 3]) -> [usize; 3] {
    if is_turned(wish) {
        size.swap(0, wish.along);
    }
    size
}

/// Whether vectors of items would leave workers without any.
fn has_few_items(wish: &Wish) -> bool {
    items(&wish.global) < wish.lanes.saturating_mul(wish.workers)
}

fn is_turned(wish: &Wish) -> bool {
    let enough = wish.lanes.min(wish.global[0]);
    (1..wish.dimensions).contains(&wish.along) && wish.global[wish.along] >= enough
}

fn is_whole(wish: &Wish, size: &[usize; 3]) -> bool {
    (0..3).all(|at| divides(size[at], wish.global[at]))
}

/// The program's local size, or several such groups as one, or ones of our own, if they are whole.
pub fn grow(wish: &Wish, local: [usize; 3]) -> [usize; 3] {
    if has_few_items(wish) {
        return local;
    }
    let local = turned(wish, local);
    let in_order = Wish { global: turned(wish, wish.global), ..*wish };
    // Groups follow each other along x, across those rows.
    let own = is_turned(wish).then(|| with_longer_rows(&in_order, local)).flatten();
    turned(wish, own.unwrap_or_else(|| grow_rows(&in_order, local)))
}

/// Items become lanes of vectors along x.
fn grow_rows(wish: &Wish, local: [usize; 3]) -> [usize; 3] {
    let (global, others) = (wish.global[0], items(&local) / local[0].max(1));
    let is_small = items(&local) < ENOUGH_ITEMS || local[0] < wish.lanes;
    if is_poor_tile(wish, local)
        && let Some(tile) = tile(wish)
        && is_whole(wish, &tile)
        && !is_too_large(wish, tile)
    {
        return tile;
    }
    let grown = |length: usize| [length, local[1], local[2]];
    if !is_small {
        let two = grown(2 * local[0]);
        let is_one_vector = local[0] < 2 * wish.lanes && items(&two) <= wish.most_items;
        let fits = is_one_vector && divides(two[0], global) && !is_too_large(wish, two);
        return if fits { two } else { local };
    }
    if !divides(local[0], global) {
        return local;
    }
    let fits = |&length: &usize| {
        let size = grown(length);
        let most = MOST_ITEMS.min(wish.most_items);
        items(&size) <= most && !is_too_large(wish, size)
    };
    let lengths = |of: usize| {
        let longest = MOST_ITEMS / others.max(1);
        (1..=longest.min(global) / of).rev().map(move |times| times * of)
    };
    let divisors = |of| lengths(of).filter(|&length| divides(length, global)).find(fits);
    let whole = local[0] * wish.lanes / greatest_divisor(local[0], wish.lanes);
    let grown = divisors(whole).or_else(|| divisors(local[0])).map_or(local, grown);
    let is_short = SHORT_ROWS * grown[0] <= wish.lanes && wish.clear;
    let own = is_short.then(|| with_longer_rows(wish, grown)).flatten();
    own.unwrap_or(grown)
}

/// A size of our own, if its groups are whole and have longer rows than these.
fn with_longer_rows(wish: &Wish, than: [usize; 3]) -> Option<[usize; 3]> {
    Some(by_divisors(wish)).filter(|own| own[0] > than[0] && is_whole(wish, own))
}

/// Whether a program's group uses less of what it loads than a tile could.
fn is_poor_tile(wish: &Wish, local: [usize; 3]) -> bool {
    let is_ragged = !local[0].is_multiple_of(wish.lanes);
    let is_small = items(&local) < ENOUGH_ITEMS || local[0] < TILE_ROW_ITEMS.max(wish.lanes);
    !wish.serves_rows || is_small || is_ragged || local[1] == 1
}

fn greatest_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// The local size by the sizes of range, vectors and caches alone.
fn by_divisors(wish: &Wish) -> [usize; 3] {
    let mut size = tile(wish).unwrap_or_else(|| row(wish));
    // Few groups of whole vectors are better than many of less.
    let is_worth_it = |size: [usize; 3], less: [usize; 3]| {
        keeps_too_much(wish, size) || less[0] >= wish.lanes || size[0] < wish.lanes
    };
    while is_too_large(wish, size) {
        match smaller(wish, size).filter(|&less| is_worth_it(size, less)) {
            Some(less) => size = less,
            None => break,
        }
    }
    size
}

/// A row, or what of one there is and more of them.
fn row(wish: &Wish) -> [usize; 3] {
    let mut size = [along_x(wish), 1, 1];
    for at in 1..wish.dimensions {
        let items = items(&size);
        if items < ENOUGH_ITEMS {
            size[at] = largest_divisor(wish.global[at], ENOUGH_ITEMS / items, 1).unwrap_or(1);
        }
    }
    size
}

/// A group of several rows that suits what items load.
fn tile(wish: &Wish) -> Option<[usize; 3]> {
    if wish.dimensions > 1 && wish.serves_rows { tile_of_rows(wish) } else { tile_of_lines(wish) }
}

/// A vector, and all that share the lines that it touches, or half of them; the last ones are cut off, where the kernel allows that.
fn tile_of_lines(wish: &Wish) -> Option<[usize; 3]> {
    let Lines { along, items } = wish.lines.filter(|it| it.along < wish.dimensions)?;
    let items = items.min(MOST_IN_LINE);
    let part = |whole: usize, most: usize| {
        let divisor = largest_divisor(whole, most, 1).filter(|part| 2 * part >= most);
        divisor.or_else(|| (!wish.uniform && whole > most).then_some(most))
    };
    let row = part(wish.global[0], wish.lanes.min(MOST_LINES))?;
    let mut size = [row, 1, 1];
    size[along] = part(wish.global[along], items.min(wish.most_items / row))?;
    Some(size)
}

/// A tile whose rows are vectors that are as full as can be, and more than half full; or with a last one that is smaller, where the
/// kernel allows that.
fn tile_of_rows(wish: &Wish) -> Option<[usize; 3]> {
    let [width, height, _] = wish.global;
    let vectors = |row: usize| row.div_ceil(wish.lanes);
    let percent = |row: usize| percent(row, wish.lanes);
    let rows = 1..=width.min(TILE_ROW_VECTORS * wish.lanes);
    let fullest = |&row: &usize| (percent(row), row <= TILE_ROW_ITEMS, row);
    let row = rows.filter(|&row| divides(row, width)).max_by_key(fullest);
    let row = match row.filter(|&row| percent(row) > 50) {
        Some(row) => row,
        None if wish.uniform => longer_divisor(wish),
        None => TILE_ROW_ITEMS.max(wish.lanes),
    };
    if row > width {
        return None;
    }
    // The translator's chunks of longer rows are as long as the longest tile.
    let most = TILE_VECTORS / vectors(row).min(TILE_ROW_VECTORS);
    let rows = largest_divisor(height, most.min(wish.most_items / row), 1)?;
    (rows > 1).then_some([row, rows, 1])
}

fn items(size: &[usize; 3]) -> usize {
    size.iter().fold(1, |all, &part| all.saturating_mul(part))
}

fn divides(part: usize, whole: usize) -> bool {
    part > 0 && whole.is_multiple_of(part)
}

/// The largest divisor of `whole` up to `most` that is a multiple of `of`.
fn largest_divisor(whole: usize, most: usize, of: usize) -> Option<usize> {
    let mut candidates = (1..=most.min(whole) / of).rev().map(|times| times * of);
    candidates.find(|&part| divides(part, whole))
}

/// Whether the last group of a row may be smaller, and the whole ones come before it all the same: what is made for one local size
/// runs those.
fn may_be_cut(wish: &Wish) -> bool {
    !wish.uniform && wish.global[1..] == [1, 1]
}

/// How full the vectors of a row are.
fn percent(row: usize, lanes: usize) -> usize {
    100 * row / row.next_multiple_of(lanes)
}

fn along_x(wish: &Wish) -> usize {
    let (global, lanes) = (wish.global[0], wish.lanes);
    if global <= lanes {
        return global;
    }
    let is_good = |&part: &usize| match may_be_cut(wish) {
        true => percent(part, lanes) >= FULL_PERCENT,
        false => part >= lanes,
    };
    let divisor = largest_divisor(global, MOST_ITEMS, lanes)
        .or_else(|| largest_divisor(global, MOST_ITEMS, 1).filter(is_good));
    match divisor {
        Some(part) => part,
        None if wish.uniform => longer_divisor(wish),
        None => MOST_ITEMS.min(global),
    }
}

/// The shortest divisor along x beyond those that are long enough, of groups that must be whole: better than less than a vector. Else
/// the largest of these.
fn longer_divisor(wish: &Wish) -> usize {
    let global = wish.global[0];
    (MOST_ITEMS + 1..=global.min(wish.most_items))
        .find(|&part| divides(part, global))
        .or_else(|| largest_divisor(global, MOST_ITEMS, 1))
        .unwrap_or(1)
}

fn is_too_large(wish: &Wish, size: [usize; 3]) -> bool {
    let items = items(&size);
    let groups: usize = (0..3).map(|at| wish.global[at].div_ceil(size[at])).product();
    let too_few = groups < wish.workers * GROUPS_FOR_EACH && items > wish.lanes;
    too_few || keeps_too_much(wish, size)
}

fn keeps_too_much(wish: &Wish, size: [usize; 3]) -> bool {
    items(&size).saturating_mul(wish.kept_bytes) > KEPT_BYTES
}

/// Half of it or less, shortened where it is not vectors that get shorter, if possible.
fn smaller(wish: &Wish, size: [usize; 3]) -> Option<[usize; 3]> {
    let shorter = |at: usize, of: usize| {
        let mut less = size;
        less[at] = largest_divisor(wish.global[at], size[at] / 2, of)?;
        Some(less)
    };
    let by = |at: usize, of: usize| (size[at] > 1).then(|| shorter(at, of)).flatten();
    let cut = || {
        let vectors = (size[0] / 2).max(1).next_multiple_of(wish.lanes);
        (may_be_cut(wish) && vectors < size[0]).then_some([vectors, 1, 1])
    };
    by(2, 1).or_else(|| by(1, 1)).or_else(|| by(0, wish.lanes)).or_else(cut).or_else(|| by(0, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(global: [usize; 3], dimensions: usize) -> Wish {
        let (uniform, serves_rows, lines, required, hint) = (false, false, None, None, None);
        let (lanes, most_items, workers, kept_bytes) = (16, 4096, 2, 0);
        Wish {
            global,
            dimensions,
            lanes,
            most_items,
            workers,
            kept_bytes,
            uniform,
            along: 0,
            serves_rows,
            lines,
            clear: true,
            required,
            hint,
        }
    }

    #[test]
    fn small_groups_grow_along_vectors_as_far_as_workers_have_enough() {
        let grown = |global, local| grow(&wish(global, 2), local);
        assert_eq!(grown([512, 512, 1], [4, 4, 1]), [64, 4, 1]);
        assert_eq!(grow(&Wish { along: 1, ..wish([512, 512, 1], 2) }, [4, 4, 1]), [1, 256, 1]);
        assert_eq!(grown([512, 512, 1], [1, 1, 1]), [256, 1, 1]);
        assert_eq!(grown([512, 512, 1], [32, 8, 1]), [32, 8, 1], "large enough");
        assert_eq!(grown([512, 512, 1], [16, 16, 1]), [32, 16, 1], "two vectors");
        assert_eq!(grown([528, 512, 1], [16, 16, 1]), [16, 16, 1], "the last one is cut off");
        assert_eq!(grown([48, 512, 1], [12, 2, 1]), [48, 2, 1]);
        assert_eq!(grown([512, 512, 1], [1, 256, 1]), [256, 1, 1], "rows that fill no vector");
        let unsure = Wish { clear: false, ..wish([512, 512, 1], 2) };
        assert_eq!(grow(&unsure, [1, 256, 1]), [1, 256, 1]);
        assert_eq!(grown([512, 512, 1], [8, 32, 1]), [8, 32, 1], "half a vector");
        assert_eq!(grown([510, 512, 1], [4, 4, 1]), [4, 4, 1], "the last one is cut off");
        assert_eq!(grown([64, 4, 1], [4, 4, 1]), [16, 1, 1], "groups are few as they are");
        assert_eq!(grown([32, 1, 1], [1, 1, 1]), [16, 1, 1]);
        assert_eq!(grown([31, 1, 1], [1, 1, 1]), [1, 1, 1], "items are few");
    }

    #[test]
    fn rows_that_serve_others_grow_to_tiles() {
        let wish = Wish { serves_rows: true, ..wish([1024, 1024, 1], 2) };
        let locals = [[256, 1, 1], [2, 2, 1], [8, 8, 1], [20, 20, 1]];
        assert_eq!(locals.map(|local| grow(&wish, local)), [[32, 8, 1]; 4]);
        assert_eq!(grow(&wish, [16, 16, 1]), [32, 8, 1], "two lines of a cache");
        assert_eq!(grow(&wish, [32, 4, 1]), [32, 4, 1], "rows it has");
        assert_eq!(grow(&Wish { dimensions: 1, ..wish }, [256, 1, 1]), [256, 1, 1]);
        assert_eq!(grow(&Wish { along: 1, ..wish }, [1, 256, 1]), [8, 32, 1]);
    }

    #[test]
    fn what_was_chosen_stays_for_the_same_range() {
        let mut chosen = Chosen::default();
        let mut of = |global: usize, local, size: usize| {
            chosen.of([global, 1, 1], 1, local, || [size, 1, 1])[0]
        };
        assert_eq!([of(64, None, 8), of(64, None, 16), of(64, Some([1; 3]), 32)], [8, 8, 32]);
        assert_eq!([of(64, None, 16), of(65, None, 5), of(64, None, 1)], [16, 5, 16]);
        (0..100).for_each(|global| assert_eq!(of(global, None, global), global));
    }

    #[test]
    fn the_last_group_is_smaller_rather_than_vectors_empty() {
        let size = |global: usize| choose(&wish([global, 1, 1], 1))[0];
        assert_eq!([10_007, 17 * 1009, 1000 * 1009].map(size), [256, 256, 250]);
        assert_eq!(size(600), 32, "19 groups, of 16 that there have to be");
        let whole = Wish { uniform: true, ..wish([10_007, 1, 1], 1) };
        assert_eq!(choose(&whole), [1, 1, 1]);
        assert_eq!(choose(&wish([17 * 1009, 64, 1], 2)), [17, 2, 1], "each row would end so");
    }

    #[test]
    fn sizes_are_good_divisors() {
        assert_eq!(choose(&wish([1 << 20, 1, 1], 1)), [256, 1, 1]);
        assert_eq!(choose(&wish([1000, 1000, 1], 2)), [250, 1, 1]);
        assert_eq!(choose(&wish([1920, 1080, 1], 2)), [240, 1, 1]);
        assert_eq!(choose(&wish([4, 1024, 1], 2)), [4, 16, 1]);
        assert_eq!(choose(&wish([1, 1, 64], 3)), [1, 1, 16]);
        assert_eq!(choose(&wish([1, 1, 1], 1)), [1, 1, 1]);
    }

    #[test]
    fn primes_have_a_smaller_last_group_and_short_ranges_short_groups() {
        assert_eq!(choose(&wish([1_000_003, 1, 1], 1)), [256, 1, 1]);
        assert_eq!(choose(&Wish { uniform: true, ..wish([1_000_003, 1, 1], 1) }), [1, 1, 1]);
        assert_eq!(choose(&Wish { uniform: true, ..wish([997, 1, 1], 1) }), [997, 1, 1]);
        assert_eq!(choose(&wish([512, 1, 1], 1)), [32, 1, 1]);
        assert_eq!(choose(&wish([64, 1, 1], 1)), [16, 1, 1]);
    }

    #[test]
    fn tiles_have_all_that_share_a_line() {
        let lines = |along, items| Some(Lines { along, items });
        let wish = Wish { lines: lines(1, 16), ..wish([1024, 1024, 1], 2) };
        assert_eq!(choose(&wish), [16, 16, 1]);
        assert_eq!(grow(&wish, [32, 8, 1]), [16, 16, 1]);
        assert_eq!(choose(&Wish { lines: lines(1, 64), ..wish }), [16, 32, 1], "bytes");
        assert_eq!(choose(&Wish { global: [1021, 1000, 1], ..wish }), [16, 10, 1]);
        assert_eq!(choose(&Wish { uniform: true, global: [1021, 1000, 1], ..wish }), [1021, 1, 1]);
        let planes = Wish { lines: lines(2, 16), global: [128, 64, 256], dimensions: 3, ..wish };
        assert_eq!(choose(&planes), [16, 1, 16]);
        assert_eq!(choose(&Wish { global: [1 << 20, 1, 1], dimensions: 1, ..wish }), [256, 1, 1]);
    }

    #[test]
    fn turned_kernels_have_their_items_along_another_dimension() {
        let turned = |global, dimensions| choose(&Wish { along: 1, ..wish(global, dimensions) });
        assert_eq!(turned([512, 512, 1], 2), [1, 256, 1]);
        assert_eq!(turned([1024, 4, 1], 2), [256, 1, 1], "no vector there");
        assert_eq!(turned([1 << 20, 1, 1], 1), [256, 1, 1]);
        let planes = Wish { along: 2, ..wish([128, 192, 256], 3) };
        assert_eq!(choose(&planes), [1, 1, 256]);
        assert_eq!([[8, 8, 8], [64, 1, 1]].map(|local| grow(&planes, local)), [[1, 1, 256]; 2]);
    }

    #[test]
    fn rows_that_serve_each_other_are_tiles_of_full_vectors() {
        let tile = |global| choose(&Wish { serves_rows: true, ..wish(global, 2) });
        assert_eq!(tile([1024, 1024, 1]), [32, 8, 1]);
        assert_eq!(tile([800, 400, 1]), [32, 8, 1]);
        assert_eq!(tile([1000, 1000, 1]), [40, 5, 1]);
        assert_eq!(tile([1024, 1021, 1]), [256, 1, 1], "no rows");
        assert_eq!(tile([1021, 1024, 1]), [32, 8, 1], "the last one is cut off");
        let uniform = Wish { serves_rows: true, uniform: true, ..wish([1021, 1024, 1], 2) };
        assert_eq!(choose(&uniform), [1021, 4, 1], "whole groups");
        assert_eq!(choose(&Wish { global: [1366, 768, 1], ..uniform }), [683, 4, 1]);
        assert_eq!(tile([64, 32, 1]), [32, 4, 1], "enough groups for all");
    }

    #[test]
    fn the_kernels_own_wishes_and_needs_come_first() {
        let global = [1 << 20, 1, 1];
        assert_eq!(choose(&Wish { required: Some([7, 1, 1]), ..wish(global, 1) }), [7, 1, 1]);
        assert_eq!(choose(&Wish { hint: Some([64, 1, 1]), ..wish(global, 1) }), [64, 1, 1]);
        assert_eq!(choose(&Wish { hint: Some([7, 1, 1]), ..wish(global, 1) }), [256, 1, 1]);
        assert_eq!(choose(&Wish { hint: Some([8192, 1, 1]), ..wish(global, 1) }), [256, 1, 1]);
        assert_eq!(
            choose(&Wish { hint: Some([1 << 63, 2, 1]), ..wish([1 << 63, 2, 1], 2) }),
            [256, 1, 1]
        );
        assert_eq!(choose(&Wish { kept_bytes: 4096, ..wish(global, 1) }), [32, 1, 1]);
        assert_eq!(choose(&Wish { kept_bytes: 1 << 20, ..wish(global, 1) }), [1, 1, 1]);
        assert_eq!(choose(&Wish { kept_bytes: 1 << 60, ..wish(global, 1) }), [1, 1, 1]);
    }
}
