// The files of the built-in scene that come with the program: detector.octet, test.npy, labels.npy.
#ifndef OCTET_PORTS_LINUX_SCENE_OWN_SCENE_H_
#define OCTET_PORTS_LINUX_SCENE_OWN_SCENE_H_

#include <string>

namespace octet::port {

// Their folder: share/octet/scene of an installed program, demo/scene of one in the build folder of
// the sources. Throws InputError where neither is there; `instead` is what to give then.
std::string OwnSceneFolder(const std::string& instead);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SCENE_OWN_SCENE_H_
