/* The blob as a part of the image: in flash, read in place. 64-byte aligned, as octet_bind asks. */
    .section .rodata
    .balign 64
    .globl octet_model
octet_model:
    .incbin OCTET_MODEL
    .globl octet_model_end
octet_model_end:
    .section .note.GNU-stack, "", %progbits
