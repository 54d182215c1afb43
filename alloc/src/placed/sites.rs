//! Sites: the locations that have memory, and how to bind memory to them.
//!
//! Terms: a *site* is a position in the list of locations with memory: first those that memory is spread over, then those
//! that have some for whoever asks for it, each ordered by NUMA node, because the kernel interleaves in that order. *Enforced* placement is bound by the kernel; where locations are
//! caches, cores, or nodes of a machine that is not this one, placement is only remembered.

use super::word::{BY_ADDRESS, MOST_SITES};
use vicinity_policy::distribution;
use vicinity_policy::topology::LocationId;

#[derive(Clone, Debug)]
pub struct Sites {
    /// The location of each site.
    locations: Vec<LocationId>,
    /// How many of them memory is spread over.
    spread: usize,
    /// The operating system's number of each site's node; empty where nothing is enforced.
    nodes: Vec<u32>,
    /// By node number: its location.
    location_of_node: Vec<Option<LocationId>>,
    numbering: Numbering,
}

/// By which number of a unit the kernel goes round nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    #[default]
    Whole,
    /// By its lower 32 bits, as Linux did before version 6.8 (`offset_il_node`): that differs where the number of nodes
    /// is no power of two.
    Truncated,
}

impl Numbering {
    /// The one by which the unit with this number is at this place of so many.
    pub fn found(unit: u64, place: usize, count: usize) -> Numbering {
        match BY_ADDRESS.place_of(unit, count) == place {
            true => Numbering::Whole,
            false => Numbering::Truncated,
        }
    }
}

impl Sites {
    /// The sites of this machine: locations with the nodes that their memory is on.
    pub fn enforced(nodes: impl IntoIterator<Item = (LocationId, u32)>) -> Sites {
        let mut sites: Vec<(u32, LocationId)> =
            nodes.into_iter().map(|(location, node)| (node, location)).collect();
        sites.sort_unstable();
        sites.dedup_by_key(|&mut (node, _)| node);
        sites.truncate(MOST_SITES);
        let most = sites.last().map_or(0, |&(node, _)| node as usize + 1);
        let mut location_of_node = vec![None; most];
        for &(node, location) in &sites {
            location_of_node[node as usize] = Some(location);
        }
        let (nodes, locations): (Vec<u32>, Vec<LocationId>) = sites.into_iter().unzip();
        let numbering = Numbering::default();
        Sites { spread: locations.len(), locations, nodes, location_of_node, numbering }
    }

    /// Locations whose memory cannot be chosen.
    pub fn remembered(locations: impl IntoIterator<Item = LocationId>) -> Sites {
        let locations: Vec<_> = locations.into_iter().take(MOST_SITES).collect();
        let (nodes, location_of_node) = (Vec::new(), Vec::new());
        let numbering = Numbering::default();
        Sites { spread: locations.len(), locations, nodes, location_of_node, numbering }
    }

    /// The same, with memory spread over those that `counts` accepts, or over all if it accepts none.
    pub fn spread_over(mut self, counts: impl Fn(LocationId) -> bool) -> Sites {
        let accepted: Vec<bool> = self.locations.iter().map(|&location| counts(location)).collect();
        let spread = accepted.iter().filter(|&&it| it).count();
        if spread > 0 {
            (self.locations, self.nodes) =
                (partitioned(&self.locations, &accepted), partitioned(&self.nodes, &accepted));
            self.spread = spread;
        }
        self
    }

    /// How many memory is spread over: the first.
    #[inline]
    pub fn spread(&self) -> usize {
        self.spread
    }

    /// The same on a kernel that numbers units so.
    pub fn numbered(self, numbering: Numbering) -> Sites {
        Sites { numbering, ..self }
    }

    /// The site of the unit of fine memory, of two to this power of bytes, that an address is in.
    #[inline]
    pub fn place_of(&self, address: usize, unit_shift: u8) -> usize {
        let unit = (address >> unit_shift) as u64;
        let number = match self.numbering {
            Numbering::Whole => unit,
            Numbering::Truncated => u64::from(unit as u32),
        };
        BY_ADDRESS.place_of(number, self.spread)
    }

    /// The site that the unit of an address is moved to, if units go round the sites one by one.
    pub fn scattered(&self, address: usize, unit_shift: u8) -> usize {
        distribution::scattered((address >> unit_shift) as u64, self.spread)
    }

    /// Their nodes; none where nothing is enforced.
    pub fn spread_nodes(&self) -> &[u32] {
        &self.nodes[..self.spread.min(self.nodes.len())]
    }

    /// How many there are in all.
    pub fn count(&self) -> usize {
        self.locations.len()
    }

    #[inline]
    pub fn locations(&self) -> &[LocationId] {
        &self.locations
    }

    /// The site of a location; of one without memory none.
    pub fn site_of(&self, location: LocationId) -> Option<u16> {
        self.locations.iter().position(|&it| it == location).map(|site| site as u16)
    }

    /// The node that memory for a site is to be bound to.
    pub fn node(&self, site: u16) -> Option<u32> {
        self.nodes.get(usize::from(site)).copied()
    }

    /// The nodes of all; none where nothing is enforced.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Whether the kernel knows where memory is, in terms of these locations.
    pub fn kernel_knows(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// The location whose memory is on this node.
    pub fn location_of_node(&self, node: i32) -> Option<LocationId> {
        *self.location_of_node.get(usize::try_from(node).ok()?)?
    }
}

/// Those that are accepted, and then the others.
fn partitioned<T: Copy>(list: &[T], accepted: &[bool]) -> Vec<T> {
    let those = |wanted: bool| {
        let pairs = list.iter().zip(accepted);
        pairs.filter(move |&(_, &is)| is == wanted).map(|(&it, _)| it)
    };
    those(true).chain(those(false)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_ordered_by_node() {
        let sites = Sites::enforced([(LocationId(0), 4), (LocationId(1), 0), (LocationId(2), 2)]);
        assert_eq!(sites.locations(), [LocationId(1), LocationId(2), LocationId(0)]);
        assert_eq!(sites.nodes(), [0, 2, 4]);
        assert_eq!((sites.node(2), sites.site_of(LocationId(0))), (Some(4), Some(2)));
        assert_eq!(sites.location_of_node(2), Some(LocationId(2)));
        assert_eq!(sites.location_of_node(1), None);
        assert_eq!(sites.location_of_node(-2), None);
        assert!(sites.kernel_knows());
    }

    #[test]
    fn memory_is_spread_over_some_and_the_others_keep_their_sites() {
        let nodes =
            [(LocationId(0), 0), (LocationId(1), 1), (LocationId(2), 2), (LocationId(3), 3)];
        let sites = Sites::enforced(nodes).spread_over(|location| location != LocationId(1));
        assert_eq!((sites.spread(), sites.spread_nodes(), sites.count()), (3, &[0, 2, 3][..], 4));
        assert_eq!((sites.node(3), sites.site_of(LocationId(1))), (Some(1), Some(3)));
        assert_eq!(sites.location_of_node(1), Some(LocationId(1)));
        let none = Sites::enforced(nodes).spread_over(|_| false);
        assert_eq!((none.spread(), none.nodes()), (4, &[0, 1, 2, 3][..]));
        let remembered = Sites::remembered((0..3).map(LocationId)).spread_over(|it| it.0 > 0);
        assert_eq!(remembered.locations(), [LocationId(1), LocationId(2), LocationId(0)]);
        assert_eq!((remembered.spread(), remembered.spread_nodes()), (2, &[][..]));
    }

    #[test]
    fn units_are_numbered_as_the_kernel_does() {
        let (address, unit) = (0x7fff_1234_5000_usize, 0x7_fff1_2345_u64);
        let whole = Sites::remembered((0..3).map(LocationId));
        let place = whole.place_of(address, 12);
        assert_eq!(place as u64, unit % 3);
        assert_eq!(Numbering::found(unit, place, 3), Numbering::Whole);
        let truncated = (0xfff1_2345_u64 % 3) as usize;
        assert_eq!(Numbering::found(unit, truncated, 3), Numbering::Truncated);
        assert_eq!(whole.numbered(Numbering::Truncated).place_of(address, 12), truncated);
    }

    #[test]
    fn remembered_sites_have_no_nodes() {
        let sites = Sites::remembered((0..3).map(LocationId));
        assert_eq!((sites.count(), sites.node(1)), (3, None));
        assert!(!sites.kernel_knows());
        assert_eq!(sites.location_of_node(0), None);
    }
}
