//! Sub-devices: equally many processors for each, as many as the program counts, or those that are near to each
//! other.
//!
//! Source: OpenCL 3.0 API, 4.3.

use super::{Device, with_hardware};
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use opencl_sys::*;
use vicinity_alloc::os::CpuSet;
use vicinity_alloc::topology::{Hardware, Level};

/// How a program wants a device divided.
#[derive(Debug, PartialEq, Eq)]
pub enum Wish {
    Equally(usize),
    ByCounts(Vec<usize>),
    ByAffinity(cl_device_affinity_domain),
}

impl Wish {
    /// From the list that the program passes, without the zero that ends it.
    pub fn of(properties: &[cl_device_partition_property]) -> Result<Wish> {
        let invalid = Err(Error(CL_INVALID_VALUE));
        match *properties {
            [CL_DEVICE_PARTITION_EQUALLY, units] if units > 0 => Ok(Wish::Equally(units as usize)),
            [CL_DEVICE_PARTITION_BY_COUNTS, ref counts @ ..] => {
                if counts.is_empty() || counts.iter().any(|&count| count < 0) {
                    return Err(Error(CL_INVALID_DEVICE_PARTITION_COUNT));
                }
                Ok(Wish::ByCounts(counts.iter().map(|&count| count as usize).collect()))
            }
            [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, domain] => {
                let domain = domain as cl_device_affinity_domain;
                let is_one = domain.is_power_of_two() && domain <= NEXT;
                if is_one { Ok(Wish::ByAffinity(domain)) } else { invalid }
            }
            _ => invalid,
        }
    }

    /// The list, as the program may ask for it.
    fn properties(&self) -> Vec<cl_device_partition_property> {
        match self {
            Wish::Equally(units) => vec![CL_DEVICE_PARTITION_EQUALLY, *units as isize, 0],
            Wish::ByCounts(counts) => {
                let counts = counts.iter().map(|&count| count as isize);
                let ends = [CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0];
                [CL_DEVICE_PARTITION_BY_COUNTS].into_iter().chain(counts).chain(ends).collect()
            }
            Wish::ByAffinity(domain) => {
                vec![CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, *domain as isize, 0]
            }
        }
    }
}

const NEXT: cl_device_affinity_domain = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;

/// Domains of affinity, the widest first.
const DOMAINS: [cl_device_affinity_domain; 5] = [
    CL_DEVICE_AFFINITY_DOMAIN_NUMA,
    CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE,
];

impl Device {
    fn parts(&self, wish: &Wish) -> Result<Vec<Vec<u32>>> {
        let all = self.processors();
        match wish {
            Wish::Equally(units) => {
                ensure(*units <= all.len(), CL_INVALID_DEVICE_PARTITION_COUNT)?;
                // One part that is the whole is no partition.
                ensure(*units < all.len(), CL_DEVICE_PARTITION_FAILED)?;
                Ok(all.chunks_exact(*units).map(<[u32]>::to_vec).collect())
            }
            Wish::ByCounts(counts) => {
                // The specification ends the list at the first zero.
                ensure(counts.len() <= all.len(), CL_INVALID_DEVICE_PARTITION_COUNT)?;
                let total: Option<usize> = counts.iter().try_fold(0usize, |a, &b| a.checked_add(b));
                let fits = total.is_some_and(|total| total <= all.len());
                ensure(fits && !counts.contains(&0), CL_INVALID_DEVICE_PARTITION_COUNT)?;
                let mut rest = all;
                let mut part = |&count: &usize| {
                    let (part, after) = rest.split_at(count);
                    rest = after;
                    part.to_vec()
                };
                Ok(counts.iter().map(&mut part).collect())
            }
            Wish::ByAffinity(NEXT) => {
                let next = DOMAINS.iter().find_map(|&domain| self.by_affinity(domain));
                next.ok_or(Error(CL_DEVICE_PARTITION_FAILED))
            }
            Wish::ByAffinity(domain) => {
                self.by_affinity(*domain).ok_or(Error(CL_DEVICE_PARTITION_FAILED))
            }
        }
    }

    /// The domains that divide this device, as bits.
    pub fn affinity_domains(&self) -> cl_device_affinity_domain {
        let divides = |domain: &&cl_device_affinity_domain| self.by_affinity(**domain).is_some();
        let domains = DOMAINS.iter().filter(divides).fold(0, |all, domain| all | domain);
        if domains == 0 { 0 } else { domains | NEXT }
    }

    /// Two or more parts whose processors share what the domain says.
    fn by_affinity(&self, domain: cl_device_affinity_domain) -> Option<Vec<Vec<u32>>> {
        if self.compute_units() < 2 {
            return None;
        }
        let own: CpuSet = self.processors().iter().copied().collect();
        let parts = with_hardware(&own, |hardware| match domain {
            CL_DEVICE_AFFINITY_DOMAIN_NUMA => hardware.parts(Level::NumaDomains),
            CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE => by_cache(hardware, &own, 4),
            CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE => by_cache(hardware, &own, 3),
            CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE => by_cache(hardware, &own, 2),
            _ => by_cache(hardware, &own, 1),
        });
        // A machine described has all its processors in its parts.
        let own_of = |part: &CpuSet| part.intersection(&own).iter().collect::<Vec<u32>>();
        let lists = parts.iter().map(own_of).filter(|list| !list.is_empty());
        Some(lists.collect()).filter(|lists: &Vec<Vec<u32>>| lists.len() > 1)
    }

    /// Into how many sub-devices of one processor it can be divided.
    pub fn most_sub_devices(&self) -> u32 {
        self.compute_units()
    }

    /// The ways to divide it; one zero if there is nothing to divide.
    pub fn ways_to_divide(&self) -> Vec<cl_device_partition_property> {
        if self.compute_units() < 2 {
            return vec![0];
        }
        let mut ways = vec![CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS];
        if self.affinity_domains() != 0 {
            ways.push(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
        }
        ways
    }
}

impl Ref<Device> {
    /// The sub-devices; the error says why there are none.
    pub fn divide(&self, wish: &Wish) -> Result<Vec<Ref<Device>>> {
        let parts = self.parts(wish)?;
        let properties = wish.properties();
        let sub_device =
            |processors| Ref::new(Device::new(Some(self.clone()), properties.clone(), processors));
        parts.into_iter().map(sub_device).collect()
    }
}

/// The processors of `all`, by the cache of one level that they share; none if a processor lacks that level.
fn by_cache(hardware: &dyn Hardware, all: &CpuSet, level: u32) -> Vec<CpuSet> {
    let mut rest = all.clone();
    let mut parts = Vec::new();
    while let Some(first) = rest.first() {
        let caches = hardware.caches(first);
        let Some(cache) = caches.iter().find(|cache| cache.level == level) else {
            return Vec::new();
        };
        let mut part = cache.processors.intersection(&rest);
        part.insert(first);
        rest = rest.difference(&part);
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read() {
        let end = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
        assert_eq!(Wish::of(&[CL_DEVICE_PARTITION_EQUALLY, 2]), Ok(Wish::Equally(2)));
        assert_eq!(Wish::of(&[CL_DEVICE_PARTITION_EQUALLY, 0]), Err(Error(CL_INVALID_VALUE)));
        assert_eq!(end, 0);
        let counts = Wish::of(&[CL_DEVICE_PARTITION_BY_COUNTS, 3, 1]);
        assert_eq!(counts, Ok(Wish::ByCounts(vec![3, 1])));
        let affinity = |domain| Wish::of(&[CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, domain]);
        assert_eq!(affinity(1), Ok(Wish::ByAffinity(CL_DEVICE_AFFINITY_DOMAIN_NUMA)));
        assert_eq!(affinity(3), Err(Error(CL_INVALID_VALUE)));
        assert_eq!(Wish::of(&[]), Err(Error(CL_INVALID_VALUE)));
    }

    #[test]
    fn parts_have_the_processors_of_the_whole_once() {
        let device = Device::new(None, Vec::new(), (0..7).collect());
        let equally = device.parts(&Wish::Equally(3)).unwrap();
        assert_eq!(equally, [vec![0, 1, 2], vec![3, 4, 5]]);
        let counted = device.parts(&Wish::ByCounts(vec![1, 4])).unwrap();
        assert_eq!(counted, [vec![0], vec![1, 2, 3, 4]]);
        assert_eq!(device.parts(&Wish::Equally(7)), Err(Error(CL_DEVICE_PARTITION_FAILED)));
        let too_many = Err(Error(CL_INVALID_DEVICE_PARTITION_COUNT));
        assert_eq!(device.parts(&Wish::Equally(8)), too_many);
        assert_eq!(device.parts(&Wish::ByCounts(vec![4, 4])), too_many);
        assert_eq!(device.parts(&Wish::ByCounts(vec![usize::MAX, 2])), too_many);
    }
}
