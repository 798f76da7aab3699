// set_control DEVICE ID VALUE: sets a V4L2 control, ID as in 0x00f0f041. Linked statically, for
// guests without v4l2-ctl.
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  struct v4l2_control control = {(__u32)strtoul(argv[2], NULL, 0), atoi(argv[3])};
  if (ioctl(open(argv[1], O_RDWR), VIDIOC_S_CTRL, &control) == 0) return 0;
  perror(argv[2]);
  return 1;
}
