#!/usr/bin/python3
"""Serves a film as /0, /1, ... over RTSP on 127.0.0.1: server.py FILM STREAMS PORT [USER PASSWORD]. Prints the port (of 0 a free one)."""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402


def main() -> None:
    film, streams, port, *user = sys.argv[1:]
    Gst.init(None)
    server = GstRtspServer.RTSPServer(address="127.0.0.1", service=port)
    if user:
        token = GstRtspServer.RTSPToken()
        token.set_string("media.factory.role", "viewer")
        auth = GstRtspServer.RTSPAuth()
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(*user), token)
        server.set_auth(auth)
    for stream in range(int(streams)):
        factory = GstRtspServer.RTSPMediaFactory(shared=True)
        factory.set_launch(f"( filesrc location={film} ! qtdemux ! rtph264pay name=pay0 pt=96 config-interval=1 )")
        permissions = GstRtspServer.RTSPPermissions()
        for what in ("access", "construct") if user else ():
            permissions.add_permission_for_role("viewer", f"media.factory.{what}", True)
        if user:
            factory.set_permissions(permissions)
        server.get_mount_points().add_factory(f"/{stream}", factory)
    server.attach(None)
    print(server.get_bound_port(), flush=True)
    GLib.MainLoop().run()


main()
