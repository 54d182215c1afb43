//! Sites: the locations that have memory, and how to bind memory to them.
//!
//! Terms: a *site* is a position in the list of locations with memory, ordered by NUMA node, because the
//! kernel interleaves in that order. *Enforced* placement is bound by the kernel; where locations are
//! caches, cores, or nodes of a machine that is not this one, placement is only remembered.

use super::word::MOST_SITES;
use vicinity_policy::topology::LocationId;

#[derive(Clone, Debug)]
pub struct Sites {
    /// The location of each site.
    locations: Vec<LocationId>,
    /// The operating system's number of each site's node; empty where nothing is enforced.
    nodes: Vec<u32>,
    /// By node number: its location.
    location_of_node: Vec<Option<LocationId>>,
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
        let (nodes, locations) = sites.into_iter().unzip();
        Sites { locations, nodes, location_of_node }
    }

    /// Locations whose memory cannot be chosen.
    pub fn remembered(locations: impl IntoIterator<Item = LocationId>) -> Sites {
        let locations = locations.into_iter().take(MOST_SITES).collect();
        Sites { locations, nodes: Vec::new(), location_of_node: Vec::new() }
    }

    /// How many there are.
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

    /// All nodes, in order; none where nothing is enforced.
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
    fn remembered_sites_have_no_nodes() {
        let sites = Sites::remembered((0..3).map(LocationId));
        assert_eq!((sites.count(), sites.node(1)), (3, None));
        assert!(!sites.kernel_knows());
        assert_eq!(sites.location_of_node(0), None);
    }
}
