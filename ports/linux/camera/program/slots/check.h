// What --check and --support-bundle say of the store of --slots.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_CHECK_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_CHECK_H_

#include "ports/linux/camera/program/bundle/bundle.h"
#include "ports/linux/camera/program/check/check.h"

namespace octet::port {

void CheckSlots(const CameraOptions& options, Checked* checked);
StoredRecord RecordOfSlots(const CameraOptions& options);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_CHECK_H_
