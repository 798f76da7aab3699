/* Blob and picture as parts of the image: in flash, read in place. 64-byte aligned, as octet_bind asks. */
    .section OCTET_DATA_SECTION, "a"
    .balign 64
    .globl octet_model
octet_model:
    .incbin OCTET_MODEL
    .globl octet_model_end
octet_model_end:
    .balign 64
    .globl octet_picture
octet_picture:
    .incbin OCTET_PICTURE
    .globl octet_picture_end
octet_picture_end:
#ifdef __linux__
    .section .note.GNU-stack, "", %progbits
#endif
