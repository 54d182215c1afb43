//! Calling a task's body from a frame that a tool can name: one with a frame pointer, which the body's own frame saves.
#![allow(unsafe_code)]

use super::TaskFacts;
use crate::task::TaskRef;
use std::arch::naked_asm;

/// Calls the body of a task, a function of one argument or two; the task's facts get the frame.
///
/// # Safety
/// The function is made for these arguments.
pub unsafe fn call(task: TaskRef, body: usize, arguments: [usize; 2]) {
    let [first, second] = arguments;
    // SAFETY: the caller's promise; the facts outlive the body.
    unsafe { call_from_frame(body, first, second, TaskFacts::of(task).exit()) };
}

/// Stores its frame's base in `*frame` and calls `body(first, second)`.
#[unsafe(naked)]
unsafe extern "C" fn call_from_frame(
    _body: usize,
    _first: usize,
    _second: usize,
    _frame: *mut usize,
) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov [rcx], rbp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "call rax",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}
