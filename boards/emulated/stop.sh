#!/bin/sh
# Last program of the emulated board.
killall octet-camera
while pidof octet-camera >/dev/null; do sleep 0.1; done
umount /var/lib/octet
