/* Octet slots, C API: two places for a model, A and B, and two small records that say which of them
 * runs, for devices that are updated in the field. No allocation, no OS calls, no globals: the port
 * gives the storage. docs/flashing.md has the layout and what a power cut does.
 *
 *   octet_slots_open -> octet_slots_boot -> run what it names -> octet_slots_confirm
 *   update: octet_slots_admit -> octet_slots_stage_begin, _write ..., _finish ->
 *   octet_slots_activate -> the next boot
 *
 * Promise: when the power fails at any byte of any call, the next open and boot name a blob that
 * has passed every check, the old one or the new one. What storage holds is not trusted: each call
 * that names a blob has checked all of it.
 *
 * One store has one writer at a time: the port serialises calls of several programs, and each of
 * them opens anew. */
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

/* Why a call did not do what it was asked, and why a model was refused or rolled back. Stored in
 * state records: numbers never change. */
typedef uint32_t octet_slots_code;
enum {
  OCTET_SLOTS_OK = 0,
  OCTET_SLOTS_INVALID_ARGUMENT = 1,
  OCTET_SLOTS_STORAGE = 2,      /* the storage failed to read, erase, write or sync */
  OCTET_SLOTS_READ_BACK = 3,    /* it holds other bytes than were written */
  OCTET_SLOTS_FULL = 4,         /* the blob is larger than a slot */
  OCTET_SLOTS_EMPTY = 5,        /* no blob there */
  OCTET_SLOTS_PENDING = 6,      /* a model is on trial: confirm it or roll back first */
  OCTET_SLOTS_NOT_PENDING = 7,  /* none is */
  OCTET_SLOTS_NOT_BOOTED = 8,   /* the one on trial has never run */
  OCTET_SLOTS_NOT_STAGING = 9,  /* write or finish without begin */
  OCTET_SLOTS_NO_PREVIOUS = 10, /* no model that was confirmed before */
  OCTET_SLOTS_VERSION = 11,     /* the records are of a newer release */
  /* Refusals of a blob. */
  OCTET_SLOTS_BLOB = 20,      /* octet_validate: octet_slots_info.detail has its code */
  OCTET_SLOTS_CHANGED = 21,   /* valid, but not the blob that was put there */
  OCTET_SLOTS_UNSIGNED = 22,  /* no signature, and one is asked for */
  OCTET_SLOTS_SIGNATURE = 23, /* wrong: another key, or changed */
  OCTET_SLOTS_COUNTER = 24,   /* its security counter is below the recorded one */
  OCTET_SLOTS_BOARD = 25,     /* it was converted for another board */
  OCTET_SLOTS_SELF_TEST = 26, /* octet_slots_config.accepts said no */
  OCTET_SLOTS_WHITELIST = 27, /* octet_slots_config.allows said no */
  OCTET_SLOTS_OTHER = 28,     /* not the kind of model that runs: octet_slots_config.accepts */
  OCTET_SLOTS_RANDOM = 29,    /* its ranges come from random data: octet_slots_config.accepts */
  OCTET_SLOTS_PRODUCT = 30,   /* it is of another product: octet_slots_config.accepts */
  /* Reasons of a roll-back. */
  OCTET_SLOTS_TRIES = 40,  /* not confirmed within its boots: it crashes, or nobody was content */
  OCTET_SLOTS_ASKED = 41,  /* somebody asked for it */
  OCTET_SLOTS_FRAMES = 42, /* its results were bad */
  OCTET_SLOTS_GUARD = 43,  /* the guard held it on its safest plan */
  OCTET_SLOTS_DIFFERS = 44 /* its answers differ from those of the model before */
};
/* A few words, a static string. */
OCTET_API const char* octet_slots_code_name(octet_slots_code code);

/* What the port supplies. Callbacks return 0 when done and -1 when the device failed; read returns
 * 1 where there is nothing to read (a file too short). */
typedef struct octet_storage {
  uint32_t size OCTET_SIZE(octet_storage);
  uint32_t slot_bytes; /* of each slot; at least the largest blob */
  void* context;
  int (*read)(void* context, octet_area area, uint32_t offset, void* bytes, uint32_t count);
  /* Makes the area writable; what it reads as afterwards does not matter. */
  int (*erase)(void* context, octet_area area);
  /* Once for each byte after an erase, ascending. A power cut may leave any prefix of it, and
   * anything behind. */
  int (*write)(void* context, octet_area area, uint32_t offset, const void* bytes, uint32_t count);
  /* Returns when what was written to the area survives a power cut. */
  int (*sync)(void* context, octet_area area);
  /* The first `count` bytes of a slot where they can be read at once, 64-byte aligned, as the
   * storage holds them now (not as a cache remembers them): flash itself, or a copy. NULL: cannot.
   * Good until the next call with this storage. */
  const void* (*map)(void* context, octet_area area, uint32_t count);
} octet_storage;

#define OCTET_KEY_ID_BYTES 8u
#define OCTET_SIGNATURE_BYTES 64u

typedef struct octet_slots_config {
  uint32_t size OCTET_SIZE(octet_slots_config);
  uint32_t verify_hashes; /* OCTET_VERIFY_PORTABLE or _SHA_INSTRUCTIONS (0: the former), and
                             OCTET_VERIFY_CONTENT where wanted */
  uint32_t tries;         /* boots that a model has to be confirmed in, 1 to 255; 0: 3 */
  uint32_t reserved;
  uint64_t least_counter; /* security counters below it are refused whatever the records say; from
                             fuses, where there are any */
  const char* board;      /* compatible string of this board: a blob for another is refused.
                             NULL: not checked; "": only blobs for any board */
  /* 1: the Ed25519 signature (OCTET_SIGNATURE_BYTES) of the message is that of the key with this
   * id; 0: it is not, or the key is unknown. NULL: blobs need no signature. */
  int (*verify_signature)(void* context, const uint8_t* key_id, const uint8_t* signature,
                          const uint8_t* message, size_t message_bytes);
  void* verify_context;
  /* 1: the blob may be activated; 0: refused (SELF_TEST); a refusal of a blob (20 to 39): refused
   * for that. Asked last, of a blob that has passed everything
   * else, by octet_slots_admit of a whole one and by octet_slots_activate: the place for
   * octet_self_test. NULL: no question. */
  int (*accepts)(void* context, const void* blob, size_t blob_bytes);
  void* accepts_context;
  /* 1: the blob may run on this board; 0: refused. Asked whenever a blob is checked, after all
   * other rules of octet_slots_verify, before `accepts`: the place for octet_board_check, so that a
   * list that has become shorter holds from the next boot on. NULL: no question. */
  int (*allows)(void* context, const void* blob, size_t blob_bytes);
  void* allows_context;
} octet_slots_config;

/* Yours to place; nothing in it is yours to read. Strings and callbacks of storage and
 * configuration have to outlive it. */
typedef struct octet_slots {
  uint64_t memory[96];
} octet_slots;

/* What one slot holds, as the records say. */
typedef uint32_t octet_standing;
enum {
  OCTET_STANDING_EMPTY = 0,
  OCTET_STANDING_STAGED = 1,   /* checked when it was written; never confirmed */
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
  uint32_t sequence;   /* of the newest record; rises with each change, wraps */
  uint32_t has_record; /* 0: no valid record: a fresh store, or one whose records are lost */
  octet_slot active;   /* runs; NONE: no model yet */
  octet_slot pending;  /* on trial, or NONE */
  uint32_t attempts;   /* boots of the one on trial */
  uint32_t tries;      /* it has */
  uint32_t refusals;   /* blobs refused and models rolled back since the store was made */
  octet_slots_code last_refusal; /* 0: none yet */
  uint32_t detail;               /* octet_code where last_refusal is OCTET_SLOTS_BLOB */
  uint64_t security_counter;     /* least that is taken */
  octet_slot_info slots[2];
} octet_slots_info;

/* Reads the records; writes nothing. With no valid one: a slot whose blob passes every check is
 * active (of two the one with the higher security counter, else A), so that a first model needs
 * only be copied into slot A.
 * STORAGE, VERSION, INVALID_ARGUMENT (a callback missing but verify_signature and accepts; tries
 * above 255). */
OCTET_API octet_slots_code octet_slots_open(octet_slots* slots, const octet_storage* storage,
                                            const octet_slots_config* config);
OCTET_API void octet_slots_describe(const octet_slots* slots, octet_slots_info* info);

/* Whether a blob would be taken, before stage_begin empties the place that it goes to: there lies
 * the model to fall back to. `bytes`: the first `count` of the blob, 64-byte aligned; blob_bytes:
 * how many it has, 0 where that is not known yet. With all of them every rule of octet_slots_verify
 * is looked at, and `accepts` asked; with fewer, but header and section table among them, what
 * those say: size, their digest, counter and board, and the signature where it is among the bytes,
 * as it is in the first OCTET_FRONT_BYTES of what `octet sign` wrote. Writes to no slot; a refusal
 * is recorded. PENDING, FULL, INVALID_ARGUMENT (count above blob_bytes), or the refusal. `detail`
 * as of octet_slots_verify. */
#define OCTET_FRONT_BYTES 4224u /* the table ends below 4096; 80 of signature; up to 64 */
OCTET_API octet_slots_code octet_slots_admit(octet_slots* slots, const void* bytes, uint32_t count,
                                             uint32_t blob_bytes, uint32_t* detail);

/* Into the slot that is not active. From begin on it is empty. blob_bytes: 1 to slot_bytes, or 0
 * where it is not known yet. PENDING, FULL, STORAGE, READ_BACK. */
OCTET_API octet_slots_code octet_slots_stage_begin(octet_slots* slots, uint32_t blob_bytes);
/* NOT_STAGING, FULL, STORAGE: the staging has ended. */
OCTET_API octet_slots_code octet_slots_stage_write(octet_slots* slots, const void* bytes,
                                                   uint32_t count);
/* Reads back, compares, and checks the blob as octet_slots_verify does. Any code but OK: the slot
 * stays empty, and a refusal is recorded. */
OCTET_API octet_slots_code octet_slots_stage_finish(octet_slots* slots);

/* Whether the blob in a slot may run: its bytes, hashes, signature, counter and board, and that it
 * is the one that the records name. EMPTY: they name none; in a store without records: there are no
 * bytes, or erased ones (all 00 or FF). `detail` (may be NULL): octet_code of OCTET_SLOTS_BLOB.
 * Writes nothing. */
OCTET_API octet_slots_code octet_slots_verify(octet_slots* slots, octet_slot slot,
                                              uint32_t* detail);

/* Checks the slot that is not active once more, asks `accepts`, and puts it on trial. PENDING,
 * EMPTY, STORAGE, READ_BACK, or a refusal, which is recorded. */
OCTET_API octet_slots_code octet_slots_activate(octet_slots* slots);

typedef struct octet_boot {
  uint32_t size OCTET_SIZE(octet_boot);
  octet_slot slot;
  uint32_t on_trial; /* 1: confirm it, or it is rolled back */
  uint32_t attempt;  /* 1, 2, ... where on trial */
  const void* blob;  /* checked; good until the next call with this storage */
  size_t blob_bytes;
  uint8_t digest[32];
  uint32_t unrecorded; /* 1: the active one cannot run and this is the one before, but storage took
                          no record of it: the records still name the other */
} octet_boot;

/* Which model to run now; call it when a program starts to run one. A trial is counted, in storage,
 * before its blob is named; one that has had its tries, or no longer passes, is rolled back. With
 * no active model there is nothing to roll back to, and a trial goes on. Storage that takes no
 * record stops no model: a trial that cannot be counted leaves the active one, and an active one
 * that cannot run leaves the one before (`unrecorded`). EMPTY: there is no model; else why the
 * active one cannot run or, in a store without records, what lies in a slot. */
OCTET_API octet_slots_code octet_slots_boot(octet_slots* slots, octet_boot* boot);

/* The boot that a trial was counted last ended without a word on the model: a clean stop, a camera
 * that was unplugged. It counts no more. NOT_PENDING, NOT_BOOTED, STORAGE, READ_BACK. */
OCTET_API octet_slots_code octet_slots_take_back(octet_slots* slots);

/* The one on trial is the active one from now on, and the security counter at least its.
 * NOT_PENDING, NOT_BOOTED, STORAGE, READ_BACK, or a refusal: it has changed since it was booted and
 * is rolled back. */
OCTET_API octet_slots_code octet_slots_confirm(octet_slots* slots);

/* reason: OCTET_SLOTS_TRIES or above. Ends a trial; without one, the model that was confirmed
 * before the active one runs again, where its security counter still allows it. NO_PREVIOUS,
 * STORAGE, READ_BACK, or why the previous one cannot run. */
OCTET_API octet_slots_code octet_slots_roll_back(octet_slots* slots, octet_slots_code reason);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_SLOTS_H_ */
