/* Octet, C API: how far two answers to one frame agree, per mille. */
#ifndef OCTET_AGREEMENT_H_
#define OCTET_AGREEMENT_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OCTET_AGREEMENT_FULL 1000u /* of equal answers */

/* F1 of boxes of one class at IoU 0.5, best scores first. Two answers without boxes agree. */
OCTET_API uint32_t octet_agreement_detections(const octet_detection* a, uint32_t a_count,
                                              const octet_detection* b, uint32_t b_count);
/* 1000 if the best class is the same, else 0. */
OCTET_API uint32_t octet_agreement_classes(const octet_class_score* a, uint32_t a_count,
                                           const octet_class_score* b, uint32_t b_count);
/* Mean IoU over the classes in either map. */
OCTET_API uint32_t octet_agreement_labels(const uint8_t* a, const uint8_t* b, size_t pixels);
/* Cosine of two outputs; 0 if it is negative or not a number. */
OCTET_API uint32_t octet_agreement_values(const float* a, const float* b, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_AGREEMENT_H_ */
