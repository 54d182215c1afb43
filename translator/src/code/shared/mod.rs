//! A shared object of object files, without a linker: most kernels are code and constants that know only each other.
//!
//! Terms: [`read::Piece`]; an *image* is the bytes of the shared object, whose addresses are offsets in its file.
//! [`make`] gives nothing where there is more to do than to put addresses of pieces into others (functions of libraries,
//! variables, addresses that are known when it is loaded): then a linker is asked, which needs 5 ms to start and to read
//! two libraries.
//! Why: docs/decisions/065-small-objects-without-a-linker.md.
//! Source: System V ABI, chapters 4 and 5; its supplement for AMD64, section 4.4.

mod read;
mod write;

use std::collections::HashMap;

use object::elf::{self, RelocationType};
use read::{Object, Relocation};
use write::{Export, Image};

/// What segments begin at.
const PAGE_BYTES: usize = 4096;

/// By way of a table of addresses, which an instruction can do without in its newer forms.
const TABLE: [RelocationType; 2] = [elf::R_X86_64_GOTPCRELX, elf::R_X86_64_REX_GOTPCRELX];

/// `mov` from memory, which becomes `lea`, two bytes before the address.
const MOV: u8 = 0x8b;
const LEA: u8 = 0x8d;

/// Where the pieces of each object are in the image.
type Places = Vec<Vec<u64>>;

/// Puts objects together, if they need nothing from elsewhere.
pub fn make(files: &[Vec<u8>]) -> Option<Vec<u8>> {
    let objects: Vec<Object> = files.iter().map(|file| read::read(file)).collect::<Option<_>>()?;
    let globals = globals(&objects)?;
    let exports: Vec<Export> = exports(&objects);
    let mut image = Image::new();
    let mut places: Places = objects.iter().map(|object| vec![0; object.pieces.len()]).collect();
    for is_code in [false, true] {
        if is_code {
            image.begin_code();
        }
        for (object, places) in objects.iter().zip(&mut places) {
            for (piece, place) in object.pieces.iter().zip(places) {
                if piece.is_code == is_code {
                    *place = image.add(piece.contents, piece.alignment);
                }
            }
        }
    }
    for (number, object) in objects.iter().enumerate() {
        for relocation in &object.relocations {
            let symbol = object.symbols.get(relocation.symbol)?;
            let (of, (piece, offset)) = match symbol.place {
                Some(place) => (number, place),
                None => *globals.get(symbol.name).filter(|_| symbol.is_global)?,
            };
            let target = places[of][piece].checked_add(offset)?;
            let piece = &object.pieces[relocation.piece];
            let end = relocation.offset.checked_add(4)?;
            if end > piece.contents.len() as u64 {
                return None;
            }
            relocate(&mut image, places[number][relocation.piece], relocation, target)?;
        }
    }
    let exported = exports.iter().map(|export| places[export.object][export.piece]);
    image.finish(&exports, &exported.collect::<Vec<u64>>())
}

type Globals<'a> = HashMap<&'a [u8], (usize, (usize, u64))>;

/// What objects define for each other. None if two define the same.
fn globals<'a>(objects: &[Object<'a>]) -> Option<Globals<'a>> {
    let mut globals = Globals::new();
    for (number, object) in objects.iter().enumerate() {
        for symbol in object.symbols.iter().filter(|symbol| symbol.is_global) {
            if let Some(place) = symbol.place
                && globals.insert(symbol.name, (number, place)).is_some()
            {
                return None;
            }
        }
    }
    Some(globals)
}

fn exports<'a>(objects: &[Object<'a>]) -> Vec<Export<'a>> {
    let each = objects.iter().enumerate();
    let all = each.flat_map(|(object, it)| it.symbols.iter().map(move |symbol| (object, symbol)));
    all.filter(|(_, symbol)| symbol.is_exported)
        .filter_map(|(object, symbol)| {
            let (piece, offset) = symbol.place?;
            Some(Export {
                name: symbol.name,
                object,
                piece,
                offset,
                size: symbol.size,
                is_function: symbol.is_function,
            })
        })
        .collect()
}

/// Puts the address of `target` where it is asked for, in the piece at `piece`.
fn relocate(image: &mut Image, piece: u64, relocation: &Relocation, target: u64) -> Option<()> {
    let place = piece.checked_add(relocation.offset)?;
    let value = target.checked_add_signed(relocation.addend)?.cast_signed();
    let value = value.checked_sub(place.cast_signed())?;
    let at = usize::try_from(place).ok()?;
    match relocation.kind {
        elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => {
            image.set(at, &i32::try_from(value).ok()?.to_le_bytes())
        }
        elf::R_X86_64_PC64 => image.set(at, &value.to_le_bytes()),
        kind if TABLE.contains(&kind) => {
            let instruction = at.checked_sub(2).filter(|_| relocation.offset >= 2)?;
            if image.byte(instruction)? != MOV {
                return None;
            }
            image.set(instruction, &[LEA])?;
            image.set(at, &i32::try_from(value).ok()?.to_le_bytes())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::emit;
    use crate::llvm::{Context, Machine, Module, configure};
    use crate::program::patience::Effort;

    fn object(text: &str) -> Vec<u8> {
        configure(emit::OPTIONS);
        let module = Module::from_text(Context::new(), text).expect("assembly");
        let machine = Machine::host(Effort::Full).expect("a processor");
        emit::object(&module, &machine).expect("code")
    }

    /// A constant of its own, and a function of the other.
    const CALLER: &str = "\
        declare float @other(float)\n\
        define float @caller(float %x) nounwind {\n\
          %y = fadd float %x, 1.5\n\
          %z = call float @other(float %y)\n\
          %w = fadd float %z, 2.5\n\
          ret float %w\n\
        }\n";
    const OTHER: &str = "define float @other(float %x) nounwind { ret float %x }\n";

    #[test]
    fn objects_that_know_each_other_need_no_linker() {
        let (caller, other) = (object(CALLER), object(OTHER));
        assert!(make(std::slice::from_ref(&caller)).is_none(), "a function is missing");
        let made = make(&[caller, other]).expect("nothing is missing");
        for name in [&b"\0caller\0"[..], b"\0other\0"] {
            assert!(made.windows(name.len()).any(|bytes| bytes == name));
        }
    }

    #[test]
    fn what_is_more_than_code_and_constants_is_left_to_a_linker() {
        for text in [
            "@x = global i32 1\ndefine ptr @f() { ret ptr @x }\n",
            "@x = internal thread_local global i32 1\ndefine ptr @f() { ret ptr @x }\n",
            "@x = common global i32 0\n",
            "@x = constant ptr @f\ndefine void @f() { ret void }\n",
            "declare float @sinf(float)\n\
             define float @f(float %x) { %y = call float @sinf(float %x)\nret float %y }\n",
        ] {
            assert!(make(&[object(text)]).is_none(), "{text}");
        }
        let twice = object(OTHER);
        assert!(make(&[twice.clone(), twice]).is_none());
    }

    #[test]
    fn what_is_damaged_is_no_object() {
        let whole = object(OTHER);
        assert!(make(std::slice::from_ref(&whole)).is_some());
        for length in 0..whole.len() {
            let _ = make(&[whole[..length].to_vec()]);
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            let _ = make(&[damaged]);
        }
    }
}
