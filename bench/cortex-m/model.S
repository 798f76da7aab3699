/* The blob, read where it lies. */
    .section OCTET_MODEL_SECTION, "a"
    .balign 64
    .globl octet_model
octet_model:
    .incbin OCTET_MODEL
    .globl octet_model_end
octet_model_end:
