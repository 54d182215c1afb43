//! Which memory a thread is about to touch, from the bytes of its code and its registers.
//!
//! All that a few instructions touch counts, along a jump backwards too, as at the end of a loop: which of them a thread waits for is
//! not known. The registers are those of the sample, so what is computed meanwhile is off by a step of the loop; a register that is
//! loaded anew counts for nothing.
//!
//! Source: the decoder is iced-x86's. Not here: gathers, string instructions' second operand.

use crate::os::samples::{REGISTERS, Sample};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

/// Instructions looked at.
const MOST: usize = 16;

/// The kernel's order of registers, in `Sample::registers`.
const ORDER: [Register; REGISTERS] = [
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
    Register::RDI,
    Register::RSI,
    Register::RBP,
    Register::RBX,
    Register::RDX,
    Register::RAX,
    Register::RCX,
    Register::RSP,
];

/// Addresses outside of the stack that are touched from the sample on. `code` gives the bytes at an address, as many as it
/// has, in a list that is long enough for an instruction.
pub fn addresses(sample: &Sample, code: impl FnMut(u64) -> Vec<u8>) -> Vec<usize> {
    let mut found = Vec::new();
    // The end of what can be told is no failure.
    let _ = walk(sample, code, &mut found);
    found
}

fn walk(
    sample: &Sample,
    mut code: impl FnMut(u64) -> Vec<u8>,
    found: &mut Vec<usize>,
) -> Option<()> {
    let mut at = sample.instruction;
    let mut lost: Vec<Register> = Vec::new();
    let mut bytes = code(at);
    let mut start = at;
    for _ in 0..MOST {
        if bytes.len() < (at - start) as usize + 16 {
            (bytes, start) = (code(at), at);
        }
        let rest = bytes.get((at - start) as usize..)?;
        let instruction = Decoder::with_ip(64, rest, at, DecoderOptions::NONE).decode();
        if instruction.is_invalid() {
            return None;
        }
        found.extend(touched(&instruction, sample, &lost));
        match instruction.flow_control() {
            FlowControl::Next => {
                lost.extend(changed(&instruction));
                at = instruction.next_ip();
            }
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
                if instruction.near_branch_target() < at =>
            {
                at = instruction.near_branch_target();
                // All of the loop behind the sample has been seen.
                if at == sample.instruction {
                    return None;
                }
                (bytes, start) = (code(at), at);
            }
            FlowControl::ConditionalBranch => at = instruction.next_ip(),
            FlowControl::UnconditionalBranch => {
                at = instruction.near_branch_target();
                (bytes, start) = (code(at), at);
            }
            _ => return None,
        }
    }
    None
}

/// The address in memory that an instruction touches, if the registers say.
fn touched(instruction: &Instruction, sample: &Sample, lost: &[Register]) -> Option<usize> {
    let operand =
        (0..instruction.op_count()).find(|&it| instruction.op_kind(it) == OpKind::Memory)?;
    let (base, index) = (instruction.memory_base(), instruction.memory_index());
    let is_stack = |register: Register| matches!(register, Register::RSP | Register::RIP);
    let nothing = matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Nop);
    if nothing || is_stack(base) || lost.contains(&base) || lost.contains(&index) {
        return None;
    }
    let value = |register: Register, _, _| match register {
        // Of 64-bit programs only fs and gs are not 0, and what they lead to is no array.
        Register::FS | Register::GS => None,
        _ if register.is_segment_register() => Some(0),
        _ => ORDER.iter().position(|&it| it == register).map(|it| sample.registers[it]),
    };
    instruction.virtual_address(operand, 0, value).map(|address| address as usize)
}

/// The register whose value is another one afterwards, and not a step from the old one.
fn changed(instruction: &Instruction) -> Option<Register> {
    if instruction.op_count() == 0 || instruction.op0_kind() != OpKind::Register {
        return None;
    }
    let steps = [Mnemonic::Add, Mnemonic::Sub, Mnemonic::Inc, Mnemonic::Dec];
    let compares = [Mnemonic::Cmp, Mnemonic::Test];
    let by_number = instruction.op_count() == 1 || instruction.op1_kind() != OpKind::Register;
    let is_step = steps.contains(&instruction.mnemonic()) && by_number;
    let register = instruction.op0_register().full_register();
    (!is_step && !compares.contains(&instruction.mnemonic())).then_some(register)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the code is in these tests.
    const CODE: u64 = 0x40_0000;

    fn found(code: &[u8], at: u64, set: &[(Register, u64)]) -> Vec<usize> {
        let mut registers = [0; REGISTERS];
        for &(register, value) in set {
            registers[ORDER.iter().position(|&it| it == register).unwrap()] = value;
        }
        let sample =
            Sample { instruction: CODE + at, processor: 0, thread: 0, ticks: 0, registers };
        let bytes = |from: u64| match from.checked_sub(CODE) {
            Some(from) if from < code.len() as u64 => code[from as usize..].to_vec(),
            _ => Vec::new(),
        };
        addresses(&sample, bytes)
    }

    /// movsd (%rdi,%rax,8),%xmm0; addsd %xmm1,%xmm0; movsd %xmm0,(%rsi,%rax,8); inc %rax; cmp %rax,%rdx; jne
    const LOOP: &[u8] = &[
        0xf2, 0x0f, 0x10, 0x04, 0xc7, 0xf2, 0x0f, 0x58, 0xc1, 0xf2, 0x0f, 0x11, 0x04, 0xc6, 0x48,
        0xff, 0xc0, 0x48, 0x39, 0xc2, 0x75, 0xea,
    ];

    #[test]
    fn instructions_ahead_say_what_they_touch() {
        let set = [(Register::RDI, 0x1000), (Register::RSI, 0x9000), (Register::RAX, 4)];
        assert_eq!(found(LOOP, 0, &set), [0x1020, 0x9020]);
        assert_eq!(found(LOOP, 5, &set)[..2], [0x9020, 0x1020], "round the loop");
        assert_eq!(found(LOOP, 14, &set)[..2], [0x1020, 0x9020]);
    }

    #[test]
    fn stacks_and_what_is_not_known_are_not_addresses() {
        // mov 8(%rsp),%rdi; mov (%rdi),%rax; mov (%rsi),%rcx
        let code = [0x48, 0x8b, 0x7c, 0x24, 8, 0x48, 0x8b, 7, 0x48, 0x8b, 0xe];
        let set = [(Register::RDI, 0x1000), (Register::RSI, 0x9000)];
        let nothing = Vec::<usize>::new();
        assert_eq!(found(&code, 0, &set), [0x9000], "rdi was loaded anew");
        assert_eq!(found(&code, 5, &set), [0x1000, 0x9000]);
        // lea (%rdi),%rax; ret
        assert_eq!(found(&[0x48, 0x8d, 7, 0xc3], 0, &set), nothing);
        // mov %fs:0,%rax; the code ends
        assert_eq!(found(&[0x64, 0x48, 0x8b, 4, 0x25, 0, 0, 0, 0], 0, &set), nothing);
        assert_eq!(found(&[0xff; 20], 0, &set), nothing);
        // jmp to itself
        assert_eq!(found(&[0xeb, 0xfe], 0, &set), nothing);
    }
}
