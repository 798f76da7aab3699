/* Octet slots, C API: two places for a model, A and B, for devices that are updated in the field.
 * Two small records say which of them runs. The calls do not allocate, make no OS calls and have no
 * globals. The port gives the storage. docs/flashing.md has the layout and the effects of a power
 * cut.
 *
 *   octet_slots_open -> octet_slots_boot -> run what it names -> octet_slots_confirm
 *   update: octet_slots_admit -> octet_slots_stage_begin, _write ..., _finish ->
 *   octet_slots_activate -> the next boot
 *
 * Promise: if the power fails at any byte of any call, the next open and boot name a blob that has
 * passed every check, the old one or the new one. The storage is not trusted: each call that names
 * a blob has checked all of it.
 *
 * A store has one writer at a time. The port serialises the calls of several programs. Each program
 * must open the store again. */
#ifndef OCTET_SLOTS_H_
#define OCTET_SLOTS_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t octet_slot;
enum { OCTET_SLOT_A = 0, OCTET_SLOT_B = 1, OCTET_SLOT_NONE = 255 };

typedef uint32_t octet_area;
enum {
  OCTET_AREA_STATE_0 = 0, /* one erasable unit of at least OCTET_STATE_BYTES each */
  OCTET_AREA_STATE_1 = 1,
  OCTET_AREA_SLOT_A = 2, /* octet_storage.slot_bytes each */
  OCTET_AREA_SLOT_B = 3
};
#define OCTET_STATE_BYTES 256u

/* Why a call failed, and why a model was refused or rolled back. The numbers are stored in state
 * records and never change. */
typedef uint32_t octet_slots_code;
enum {
  OCTET_SLOTS_OK = 0,
  OCTET_SLOTS_INVALID_ARGUMENT = 1,
  OCTET_SLOTS_STORAGE = 2,      /* the storage failed to read, erase, write or sync */
  OCTET_SLOTS_READ_BACK = 3,    /* it returns other bytes than were written */
  OCTET_SLOTS_FULL = 4,         /* the blob is larger than a slot */
  OCTET_SLOTS_EMPTY = 5,        /* no blob there */
  OCTET_SLOTS_PENDING = 6,      /* a model is on trial: confirm it or roll back first */
  OCTET_SLOTS_NOT_PENDING = 7,  /* no model is on trial */
  OCTET_SLOTS_NOT_BOOTED = 8,   /* the model on trial has not run yet */
  OCTET_SLOTS_NOT_STAGING = 9,  /* write or finish without begin */
  OCTET_SLOTS_NO_PREVIOUS = 10, /* no model that was confirmed before */
  OCTET_SLOTS_VERSION = 11,     /* the records are of a newer release */
  /* Refusals of a blob. */
  OCTET_SLOTS_BLOB = 20,      /* octet_validate: octet_slots_info.detail has its code */
  OCTET_SLOTS_CHANGED = 21,   /* valid, but not the blob that was put there */
  OCTET_SLOTS_UNSIGNED = 22,  /* no signature, and one is required */
  OCTET_SLOTS_SIGNATURE = 23, /* wrong signature: another key, or a changed blob */
  OCTET_SLOTS_COUNTER = 24,   /* its security counter is below the recorded one */
  OCTET_SLOTS_BOARD = 25,     /* it was converted for another board */
  OCTET_SLOTS_SELF_TEST = 26, /* octet_slots_config.accepts returned 0 */
  OCTET_SLOTS_WHITELIST = 27, /* octet_slots_config.allows returned 0 */
  OCTET_SLOTS_OTHER = 28,     /* not the kind of model that runs: octet_slots_config.accepts */
  OCTET_SLOTS_RANDOM = 29,    /* its ranges come from random data: octet_slots_config.accepts */
  OCTET_SLOTS_PRODUCT = 30,   /* it is of another product: octet_slots_config.accepts */
  /* Reasons of a roll-back. */
  OCTET_SLOTS_TRIES =
      40, /* not confirmed within its boots: it crashed, or no program confirmed it */
  OCTET_SLOTS_ASKED = 41,  /* requested */
  OCTET_SLOTS_FRAMES = 42, /* its results were bad */
  OCTET_SLOTS_GUARD = 43,  /* the guard held it on its safest plan */
  OCTET_SLOTS_DIFFERS = 44 /* its answers differ from those of the model before */
};
/* A short text. The string is static. */
OCTET_API const char* octet_slots_code_name(octet_slots_code code);

/* The port gives these callbacks. They return 0 on success and -1 if the device failed. read
 * returns 1 where there is nothing to read (the file is too short). */
typedef struct octet_storage {
  uint32_t size OCTET_SIZE(octet_storage);
  uint32_t slot_bytes; /* of each slot; at least the largest blob */
  void* context;
  int (*read)(void* context, octet_area area, uint32_t offset, void* bytes, uint32_t count);
  /* Makes the area writable. Its content afterwards does not matter. */
  int (*erase)(void* context, octet_area area);
  /* It is called once for each byte after an erase, in ascending order. After a power cut any
   * prefix may be written, and the bytes after it may have any value. */
  int (*write)(void* context, octet_area area, uint32_t offset, const void* bytes, uint32_t count);
  /* Returns when the bytes written to the area survive a power cut. */
  int (*sync)(void* context, octet_area area);
  /* Returns the first `count` bytes of a slot, 64-byte aligned, as flash itself or as a copy. They
   * must be the bytes in storage, not those of a cache. NULL: not possible. The pointer is valid
   * until the next call with this storage. */
  const void* (*map)(void* context, octet_area area, uint32_t count);
} octet_storage;

#define OCTET_KEY_ID_BYTES 8u
#define OCTET_SIGNATURE_BYTES 64u

typedef struct octet_slots_config {
  uint32_t size OCTET_SIZE(octet_slots_config);
  uint32_t verify_hashes; /* OCTET_VERIFY_PORTABLE or _SHA_INSTRUCTIONS (0: the former),
                             optionally with OCTET_VERIFY_CONTENT */
  uint32_t tries;         /* boots within which a model must be confirmed, 1 to 255; 0: 3 */
  uint32_t reserved;
  uint64_t least_counter; /* security counters below it are refused, whatever the records say; it
                             may come from fuses */
  const char* board;      /* compatible string of this board: a blob for another is refused.
                             NULL: not checked; "": only blobs for any board */
  /* Returns 1 if the Ed25519 signature (OCTET_SIGNATURE_BYTES) of the message is from the key with
   * this id. Returns 0 if it is not, or if the key is unknown. NULL: blobs need no signature. */
  int (*verify_signature)(void* context, const uint8_t* key_id, const uint8_t* signature,
                          const uint8_t* message, size_t message_bytes);
  void* verify_context;
  /* Returns 1 to accept the blob, 0 to refuse it (SELF_TEST), or a refusal of a blob (20 to 39) to
   * refuse it for that reason. It is called last, for a blob that has passed all other checks, by
   * octet_slots_admit (with a whole blob) and by octet_slots_activate. Call octet_self_test here.
   * NULL: every blob is accepted. */
  int (*accepts)(void* context, const void* blob, size_t blob_bytes);
  void* accepts_context;
  /* Returns 1 if the blob may run on this board, else 0. It is called whenever a blob is checked,
   * after all other rules of octet_slots_verify and before `accepts`. Call octet_board_check here;
   * a shorter whitelist then applies from the next boot on. NULL: every blob may run. */
  int (*allows)(void* context, const void* blob, size_t blob_bytes);
  void* allows_context;
} octet_slots_config;

/* The caller gives the memory and does not read it. Strings and callbacks of storage and
 * configuration must outlive it. */
typedef struct octet_slots {
  uint64_t memory[96];
} octet_slots;

/* The content of one slot, according to the records. */
typedef uint32_t octet_standing;
enum {
  OCTET_STANDING_EMPTY = 0,
  OCTET_STANDING_STAGED = 1,   /* checked when it was written, not confirmed */
  OCTET_STANDING_CONFIRMED = 2 /* it has run and was confirmed */
};
typedef struct octet_slot_info {
  octet_standing standing;
  uint32_t bytes;
  uint64_t security_counter;
  uint8_t digest[32]; /* octet_blob_info.digest */
} octet_slot_info;

typedef struct octet_slots_info {
  uint32_t size OCTET_SIZE(octet_slots_info);
  uint32_t sequence;   /* of the newest record; rises with each change and wraps */
  uint32_t has_record; /* 0: no valid record: a fresh store, or one whose records are lost */
  octet_slot active;   /* the slot that runs; NONE: no model yet */
  octet_slot pending;  /* the slot on trial, or NONE */
  uint32_t attempts;   /* boots of the model on trial */
  uint32_t tries;      /* boots that it may have */
  uint32_t refusals;   /* blobs refused and models rolled back since the store was created */
  octet_slots_code last_refusal; /* 0: none yet */
  uint32_t detail;               /* octet_code where last_refusal is OCTET_SLOTS_BLOB */
  uint64_t security_counter;     /* the lowest that is accepted */
  octet_slot_info slots[2];
} octet_slots_info;

/* Reads the records and writes nothing. Without a valid record, a slot whose blob passes every
 * check is active. Of two such slots it is the one with the higher security counter, else A. So a
 * first model can simply be copied into slot A. STORAGE, VERSION, INVALID_ARGUMENT (tries above
 * 255, or a missing callback other than verify_signature and accepts). */
OCTET_API octet_slots_code octet_slots_open(octet_slots* slots, const octet_storage* storage,
                                            const octet_slots_config* config);
OCTET_API void octet_slots_describe(const octet_slots* slots, octet_slots_info* info);

/* Checks whether a blob would be accepted. Call it before stage_begin, which empties the slot that
 * holds the model to fall back to. `bytes`: the first `count` bytes of the blob, 64-byte aligned.
 * blob_bytes: the size of the blob, or 0 where it is not known yet. With the whole blob it checks
 * every rule of octet_slots_verify and calls `accepts`. With fewer bytes, which must include header
 * and section table, it checks size, digest, counter and board. It checks the signature if that is
 * among the bytes. The first OCTET_FRONT_BYTES of a file of `octet sign` include it. It writes to
 * no slot. A refusal is recorded. PENDING, FULL, INVALID_ARGUMENT (count above blob_bytes), or the
 * refusal. `detail`: as for octet_slots_verify. */
#define OCTET_FRONT_BYTES 4224u /* the table ends below 4096; 80 of signature; up to 64 */
OCTET_API octet_slots_code octet_slots_admit(octet_slots* slots, const void* bytes, uint32_t count,
                                             uint32_t blob_bytes, uint32_t* detail);

/* Starts to write to the slot that is not active, and empties it. blob_bytes: 1 to slot_bytes, or 0
 * where it is not known yet. PENDING, FULL, STORAGE, READ_BACK. */
OCTET_API octet_slots_code octet_slots_stage_begin(octet_slots* slots, uint32_t blob_bytes);
/* NOT_STAGING, FULL, STORAGE: the staging has ended. */
OCTET_API octet_slots_code octet_slots_stage_write(octet_slots* slots, const void* bytes,
                                                   uint32_t count);
/* Reads the blob back, compares it, and checks it as octet_slots_verify does. If the code is not
 * OK, the slot stays empty, and a refusal is recorded. */
OCTET_API octet_slots_code octet_slots_stage_finish(octet_slots* slots);

/* Checks whether the blob in a slot may run: its bytes, hashes, signature, counter and board, and
 * that the records name this blob. EMPTY: the records name no blob. In a store without records
 * EMPTY means no bytes, or erased bytes (all 00 or FF). `detail` (may be NULL): octet_code of
 * OCTET_SLOTS_BLOB. It writes nothing. */
OCTET_API octet_slots_code octet_slots_verify(octet_slots* slots, octet_slot slot,
                                              uint32_t* detail);

/* Checks the slot that is not active again, calls `accepts`, and puts the slot on trial. PENDING,
 * EMPTY, STORAGE, READ_BACK, or a refusal, which is recorded. */
OCTET_API octet_slots_code octet_slots_activate(octet_slots* slots);

typedef struct octet_boot {
  uint32_t size OCTET_SIZE(octet_boot);
  octet_slot slot;
  uint32_t on_trial; /* 1: it is rolled back unless it is confirmed */
  uint32_t attempt;  /* 1, 2, ... on trial */
  const void* blob;  /* checked; valid until the next call with this storage */
  size_t blob_bytes;
  uint8_t digest[32];
  uint32_t unrecorded; /* 1: the active model cannot run and this is the model before it, but the
                          storage took no record of that; the records still name the other */
} octet_boot;

/* Names the model to run now. Call it when a program starts to run a model. A boot of a trial is
 * counted in storage before its blob is named. A trial is rolled back if its tries are used up or
 * if its blob no longer passes. Without an active model a trial continues, because there is no
 * model to roll back to. A storage that takes no record does not stop a model: if a trial cannot be
 * counted, the active model runs; if the active model cannot run, the model before it runs
 * (`unrecorded`). EMPTY: there is no model. Other codes: why the active model cannot run or, in a
 * store without records, what is wrong with a slot. */
OCTET_API octet_slots_code octet_slots_boot(octet_slots* slots, octet_boot* boot);

/* Takes back the last counted boot of a trial. Call it if that boot ended for a reason that says
 * nothing about the model: a clean stop, or an unplugged camera. NOT_PENDING, NOT_BOOTED, STORAGE,
 * READ_BACK. */
OCTET_API octet_slots_code octet_slots_take_back(octet_slots* slots);

/* Makes the model on trial the active model. The store's security counter becomes at least that of
 * the model. NOT_PENDING, NOT_BOOTED, STORAGE, READ_BACK. A refusal: the model has changed since it
 * was booted, and is rolled back. */
OCTET_API octet_slots_code octet_slots_confirm(octet_slots* slots);

/* Ends a trial. Without a trial, the model that was confirmed before the active one runs again, if
 * its security counter still allows that. reason: OCTET_SLOTS_TRIES or above. NO_PREVIOUS, STORAGE,
 * READ_BACK, or why the previous model cannot run. */
OCTET_API octet_slots_code octet_slots_roll_back(octet_slots* slots, octet_slots_code reason);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_SLOTS_H_ */
