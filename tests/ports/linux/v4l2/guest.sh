#!/bin/sh
# Run by v4l2_test.py as root of a machine of its own: octet-camera on the kernel's drivers vivid (a camera that can be
# told to fail) and uvcvideo (usb_camera). Each case leaves NAME.json, NAME.err and NAME.status in /out.
blob=/classifier.octet
virtual=/dev/video0
damage=0x00f0f042 streamon_error=0x00f0f045 reqbufs_error=0x00f0f043 fatal=0x00f0f046 disconnect=0x00f0f041
drop_percent=0x00f0f040

# An emulated board is as slow as the machine it shares: what is waited for is said, and a minute is enough for all of it.
until_true() {  # CONDITION
  for i in $(seq 600); do
    eval "$1" && break
    sleep 0.1
  done
}
run() {  # NAME ARGUMENT...: until it ends
  name=$1
  shift
  octet-camera $blob --json "$@" >/out/$name.json 2>/out/$name.err
  echo $? >/out/$name.status
}
look() {  # NAME ARGUMENT...: whether the board has what they need
  name=$1
  shift
  octet-camera $blob --check "$@" >/out/$name.txt 2>&1
  echo $? >/out/$name.status
}
begin() {  # NAME ARGUMENT...: in the background, frames flowing
  running=$1
  shift
  octet-camera $blob --json "$@" >/out/$running.json 2>/out/$running.err &
  process=$!
  until_true '[ "$(wc -l </out/$running.json)" -gt 5 ]'
}
end() {
  wait $process
  echo $? >/out/$running.status
}

insmod /modules/vivid.ko n_devs=2 node_types=0xd3d multiplanar=1,2
for format in rgb24 grey8 yuyv nv12 yuv420p; do
  run $format --source $virtual --format $format --size 640x480 --fps 25 --frames 60
  run picture-$format --source $virtual --format $format --size 320x180 --fps 25 --frames 1 \
    --dump /out/$format --dump-format png
done
run hd --source $virtual --format yuyv --size 1280x720 --frames 30
run other-size --source $virtual --size 800x600 --frames 5
run long --source $virtual --size 320x180 --fps 60 --frames 1500
run no-mjpeg --source $virtual --format mjpeg
run output-device --source /dev/video1
run vbi-device --source /dev/vbi0
run planes --source /dev/video2
run no-device --source /dev/null
set_control $virtual $reqbufs_error 1
run reqbufs --source $virtual
set_control $virtual $streamon_error 1
run streamon --source $virtual
begin stall --source $virtual --size 320x180 --fps 25
run busy --source $virtual
look check-busy --source $virtual
set_control $virtual $damage 1
set_control $virtual $drop_percent 100
until_true 'grep -q "no frame for 5 s" /out/stall.err'
set_control $virtual $drop_percent 0
until_true 'grep -q "frames again" /out/stall.err'
kill -TERM $process
end
look check-free --source $virtual
begin fatal --source $virtual --size 320x180 --fps 25
set_control $virtual $fatal 1
end
begin disconnect --source $virtual --size 320x180 --fps 25
set_control $virtual $disconnect 1
end

run jpegs --source $virtual --format rgb24 --size 1280x720 --frames 2 --dump /out/jpegs
run small-jpegs --source $virtual --format rgb24 --size 640x480 --frames 2 --dump /out/small
rmmod vivid
insmod /modules/vhci_hcd.ko
insmod /modules/uvcvideo.ko
plug() {
  usb_camera 30 "$@" &
  camera=$!
  until_true "[ -e $virtual ]"
}
plug /out/small/*
run usb-yuyv --source $virtual --format yuyv --frames 60
run usb-mjpeg --source $virtual --format mjpeg --size 640x480 --frames 100
run usb-picture --source $virtual --format mjpeg --size 640x480 --frames 1 --dump /out/mjpeg --dump-format png
begin unplugged --source $virtual --size 640x480
kill -KILL $camera
end
while [ -e $virtual ]; do sleep 0.1; done
plug /out/jpegs/*
run usb-hd --source $virtual --size 1280x720 --frames 60
kill -KILL $camera
rm -r /out/jpegs /out/small
