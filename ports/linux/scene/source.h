// The built-in scene as a source of frames with known boxes.
#ifndef OCTET_PORTS_LINUX_SCENE_SOURCE_H_
#define OCTET_PORTS_LINUX_SCENE_SOURCE_H_

#include <memory>
#include <string>

#include "ports/linux/capture/source.h"
#include "ports/linux/scene/scene.h"

namespace octet::port {

// garments: folder with test.npy and labels.npy. frames_per_second: 0: as fast as it renders.
// Throws InputError.
std::unique_ptr<Source> OpenScene(const SceneConfig& config, const std::string& garments,
                                  double frames_per_second);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SCENE_SOURCE_H_
