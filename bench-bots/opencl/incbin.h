/* TEXT(file): file_cl to file_cl_end are the text of file.cl, as it is. */
#ifndef VICINITY_INCBIN_H
#define VICINITY_INCBIN_H

#define TEXT(file)                                                                                 \
    __asm__(".section .rodata\n.global " #file "_cl, " #file "_cl_end\n" #file "_cl: .incbin \"" #file \
            ".cl\"\n" #file "_cl_end: .byte 0\n.text\n");

#endif
