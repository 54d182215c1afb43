//! A footprint: how many bytes of a task's data are at each location.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 4 (the vector D). Units: bytes.

use crate::topology::{LocationId, Topology};

/// Bytes at each location. Kept and cleared rather than made anew where tasks are small.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeBytes {
    bytes: Vec<u64>,
    total: u64,
}

impl NodeBytes {
    pub fn new(locations: usize) -> NodeBytes {
        NodeBytes { bytes: vec![0; locations], total: 0 }
    }

    /// Back to nothing, for a machine of `locations`.
    pub fn clear(&mut self, locations: usize) {
        self.bytes.clear();
        self.bytes.resize(locations, 0);
        self.total = 0;
    }

    #[inline]
    pub fn add(&mut self, location: LocationId, bytes: u64) {
        let place = &mut self.bytes[location.index()];
        *place = place.saturating_add(bytes);
        self.total = self.total.saturating_add(bytes);
    }

    #[inline]
    pub fn at(&self, location: LocationId) -> u64 {
        self.bytes[location.index()]
    }

    /// Of all locations.
    #[inline]
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn as_slice(&self) -> &[u64] {
        &self.bytes
    }

    /// Every location has nearly the same: no more than a quarter more or less than the mean.
    ///
    /// The paper asks for a standard deviation of 0. But pages or lines shared out in turn rarely come out
    /// even: 512 lines on 63 caches are 8 or 9 for each, and a difference of one would draw every task to
    /// the same place.
    pub fn is_uniform(&self) -> bool {
        let total = u128::from(self.total);
        let scaled = |bytes: u64| u128::from(bytes) * self.bytes.len() as u128;
        self.bytes.iter().all(|&bytes| scaled(bytes).abs_diff(total) * 4 <= total)
    }

    /// What it costs to access all of it from `location`: bytes weighted by distance (SLIT units).
    pub fn cost_from(&self, topology: &Topology, location: LocationId) -> u128 {
        let held = topology.locations().map(|at| (at, self.at(at))).filter(|&(_, bytes)| bytes > 0);
        held.map(|(at, bytes)| u128::from(bytes) * u128::from(topology.distance(location, at)))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighs_bytes_by_distance() {
        let topology = Topology::new(vec![1; 2], vec![10, 21, 20, 10], 0).unwrap();
        let mut data = NodeBytes::new(2);
        assert!(data.is_uniform());
        data.add(LocationId(0), 100);
        data.add(LocationId(1), 10);
        assert!(!data.is_uniform());
        assert_eq!(data.cost_from(&topology, LocationId(0)), 1_210);
        assert_eq!(data.cost_from(&topology, LocationId(1)), 2_100);
        assert_eq!((data.total(), data.as_slice()), (110, &[100, 10][..]));
        data.clear(3);
        assert_eq!((data.total(), data.as_slice()), (0, &[0, 0, 0][..]));
    }

    #[test]
    fn nearly_even_is_even() {
        let uniform = |bytes: &[u64]| {
            let mut data = NodeBytes::new(bytes.len());
            bytes.iter().enumerate().for_each(|(at, &b)| data.add(LocationId(at as u16), b));
            data.is_uniform()
        };
        assert!(uniform(&[8, 9, 8, 9]) && uniform(&[3, 4, 5]) && uniform(&[0, 0]));
        assert!(!uniform(&[2, 3, 3, 4]) && !uniform(&[0, 0, 1]));
    }
}
