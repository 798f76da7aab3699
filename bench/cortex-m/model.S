/* The blob in flash, read in place. */
    .section .rodata.octet_model, "a"
    .balign 64
    .globl octet_model
octet_model:
    .incbin OCTET_MODEL
    .globl octet_model_end
octet_model_end:
