// Calls an outlined parallel region of clang with as many arguments as it has.
//
//   void vicinity_invoke_microtask(microtask body, int *global_thread, int *bound_thread,
//                                  int count, void **arguments, void **frame);
//
// The System V x86-64 convention passes six integer arguments in registers: the two thread numbers
// and the first four captured variables. The rest goes on the stack, the last one pushed first,
// with the stack a multiple of 16 bytes at the call. The frame pointer is the frame's base, so
// that debuggers, backtraces and C++ exceptions pass through whatever was pushed.
//
// `arguments` is read only up to `count`. `*frame` becomes the frame's base: where a tool finds the frame that calls the
// body.

        .section .note.GNU-stack,"",@progbits
        .text
        .globl  vicinity_invoke_microtask
        .hidden vicinity_invoke_microtask
        .type   vicinity_invoke_microtask, @function
        .p2align 4
vicinity_invoke_microtask:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp

        movq    %rbp, (%r9)             // frame
        movq    %rdi, %r10              // body
        movq    %r8, %r11               // arguments
        movl    %ecx, %eax              // count
        movq    %rsi, %rdi              // first argument: global thread number
        movq    %rdx, %rsi              // second: bound thread number

        cmpl    $4, %eax
        jle     .Lregisters
        testl   $1, %eax                // an odd number on the stack needs 8 bytes of padding
        jz      .Lpush
        subq    $8, %rsp
.Lpush:                                 // arguments[count - 1] down to arguments[4]
        pushq   -8(%r11,%rax,8)
        decl    %eax
        cmpl    $4, %eax
        jg      .Lpush

.Lregisters:                            // eax is min(count, 4); loads leave the flags alone
        cmpl    $1, %eax
        jl      .Lcall
        movq    (%r11), %rdx
        je      .Lcall
        movq    8(%r11), %rcx
        cmpl    $3, %eax
        jl      .Lcall
        movq    16(%r11), %r8
        je      .Lcall
        movq    24(%r11), %r9
.Lcall:
        xorl    %eax, %eax              // no vector registers, should the body be variadic
        callq   *%r10

        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   vicinity_invoke_microtask, . - vicinity_invoke_microtask
