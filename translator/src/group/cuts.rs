//! The sections of a kernel, which of them a group goes through chunk by chunk, and where variables are meanwhile.

use std::rc::Rc;

use crate::group::chunks::{self, Shape};
use crate::group::crossing::{Crossing, Variable};
use crate::group::items;
use crate::group::launch::Entry;
use crate::group::memory::Memory;
use crate::group::regions::Regions;
use crate::group::sections::{self, Section};
use crate::group::storage::{self, Layout};
use crate::ir::copy::Copier;

/// The sections of a kernel, and how groups are cut for them.
pub struct Cuts {
    pub sections: Vec<Section>,
    /// By section: how groups are cut, if they are.
    pub shapes: Vec<Option<Shape>>,
    /// By region: the section that it is in.
    pub section_of: Vec<usize>,
    /// Whether the chunks of a section have arrays of their own.
    owning: Vec<bool>,
    /// In arrays on the stack a row of items, if its length is known, has room for a multiple of so many: then each vector has all
    /// of one to itself, also where some of its items are not there, and LLVM can make it a register.
    pub row_unit: u64,
}

/// Where the variables and allocas of a way are, with what stands for the same in all regions.
pub struct Keeping {
    pub copier: Copier,
    pub memory: Memory,
}

impl Cuts {
    pub fn new(of: chunks::Of) -> Cuts {
        let chunks::Of { machine, regions, crossing, lanes, .. } = of;
        let sections = sections::find(regions);
        let mut section_of = vec![0; regions.list.len()];
        for (number, section) in sections.iter().enumerate() {
            section.0.iter().for_each(|&region| section_of[region] = number);
        }
        let mut shapes = chunks::shapes(of, &sections);
        let fits = |section: &Section, &[columns, rows]: &Shape| {
            let all = crossing.variables.iter();
            let touched = all.filter(|variable| section.touches(regions, variable.slot));
            storage::fits_stack(machine, touched, items::room([columns, rows, 1], lanes))
        };
        let all = sections.iter().zip(&shapes);
        let owning: Vec<bool> = all
            .map(|(section, shape)| shape.as_ref().is_some_and(|shape| fits(section, shape)))
            .collect();
        if sections.len() > 1 {
            shapes
                .iter_mut()
                .zip(&owning)
                .filter(|(_, owns)| !**owns)
                .for_each(|(shape, _)| *shape = None);
        }
        // What chunks of several sections carry is copied by vectors, which leave no room.
        let carries = sections.len() > 1 && shapes.iter().any(Option::is_some);
        let row_unit = if carries { 1 } else { lanes };
        Cuts { sections, shapes, section_of, owning, row_unit }
    }

    /// Whether all of the kernel is done chunk by chunk.
    pub fn are_all_chunks(&self) -> bool {
        self.sections.len() == 1 && self.shapes[0].is_some()
    }

    /// Whether a variable of items is needed by no others than those of a chunk.
    pub fn is_in_chunks(&self, regions: &Regions, variable: &Variable) -> bool {
        let mut touching = (0..self.sections.len())
            .filter(|&section| self.sections[section].touches(regions, variable.slot));
        match (touching.next(), touching.next()) {
            (Some(section), None) => self.owning[section],
            _ => false,
        }
    }

    /// What the ways keep, section by section; the `copier` knows of the kernel's parameters.
    pub fn keepings(
        &self,
        mut copier: Copier,
        entry: &Entry,
        regions: &Regions,
        (crossing, layout): (&Crossing, &Layout),
    ) -> Vec<Vec<Rc<Keeping>>> {
        let memory = Memory::new(&mut copier, entry, crossing, layout);
        let common = Rc::new(Keeping { copier, memory });
        let of = |number: usize| {
            let (section, ways) =
                (&self.sections[number], if self.are_all_chunks() { 2 } else { 1 });
            let Some([columns, rows]) = self.shapes[number].filter(|_| self.owning[number]) else {
                return vec![common.clone(); ways];
            };
            let own = |_| {
                let mut copier = common.copier.clone();
                let is_touched = |slot| section.touches(regions, slot);
                let all = (crossing, layout);
                let items = items::room([columns, rows, 1], self.row_unit);
                let memory = common.memory.of_chunk(&mut copier, entry, all, &is_touched, items);
                Rc::new(Keeping { copier, memory })
            };
            (0..ways).map(own).collect()
        };
        (0..self.sections.len()).map(of).collect()
    }
}
