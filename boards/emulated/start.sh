#!/bin/sh
# First program of the emulated board: drivers, disk, network, ssh; then init starts what inittab names.
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts none /dev/pts
mount -t tmpfs none /run
mkdir -p /run/thermal/thermal_zone0
echo cpu-thermal >/run/thermal/thermal_zone0/type
echo 45000 >/run/thermal/thermal_zone0/temp
while read -r module; do insmod "/modules/$module.ko"; done </modules/before
# After a power cut the journal brings the file system back; nothing may stop the board from coming up.
mount -t ext4 -o noatime /dev/vda /var/lib/octet || echo "board: the disk cannot be mounted"
hostname board
ifconfig lo 127.0.0.1 up
ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up
# octet-camera serves its page to the board alone; QEMU's network comes from outside. One small program a connection.
nc -ll -p 8081 -e nc 127.0.0.1 8080 </dev/null >/dev/null 2>&1 &
while read -r module; do insmod "/modules/$module.ko" $(cat "/modules/$module.options" 2>/dev/null); done </modules/after
dropbear -R -s -E 2>/run/dropbear.log
echo "board: ready after $(cut -d ' ' -f 1 /proc/uptime) s"
