"""What a Mender client asks of its server, for one device and one deployment at a time."""
import http.server
import json
import pathlib
import threading

from board import PATIENCE_SECONDS

API = "/api/devices/v1/"


class Server:
    """deploy() offers an artifact; `reports` are the states that the client told, `log` the log of a deployment that failed."""

    def __init__(self) -> None:
        self.offer, self.reports, self.log, self.told = None, [], "", threading.Condition()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, status: int, body: bytes = b"") -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def body(self) -> bytes:
                if "Content-Length" in self.headers:
                    return self.rfile.read(int(self.headers["Content-Length"]))
                chunks = []
                while size := int(self.rfile.readline(), 16):  # the client sends its lists in chunks
                    chunks.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(chunks)

            def do_GET(self) -> None:
                if self.path.endswith(".mender"):
                    self.answer(200, server.offer[1].read_bytes())
                else:
                    self.answer(404)

            def do_POST(self) -> None:
                self.body()
                if self.path == API + "authentication/auth_requests":
                    self.answer(200, b"token")
                elif server.offer and self.path == "/api/devices/v2/deployments/device/deployments/next":
                    number, artifact, name = server.offer
                    self.answer(200, json.dumps({"id": number, "artifact": {
                        "artifact_name": name, "device_types_compatible": ["raspberrypi4"],
                        "source": {"uri": f"{server.url}/{artifact.name}", "expire": "2099-01-01T00:00:00Z"}}}).encode())
                else:
                    self.answer(204)

            def do_PUT(self) -> None:
                said = json.loads(self.body())
                with server.told:
                    if self.path.endswith("/status"):
                        server.reports.append(said["status"])
                        if said["status"] in ("success", "failure"):
                            server.offer = None
                    elif self.path.endswith("/log"):
                        server.log = "\n".join(line["message"] for line in said["messages"])
                    server.told.notify_all()
                self.answer(200 if "/inventory/" in self.path else 204)

            do_PATCH = do_PUT

            def log_message(self, *_) -> None:
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def deploy(self, number: str, artifact: pathlib.Path, name: str) -> None:
        self.reports, self.log = [], ""
        self.offer = (number, artifact, name)

    def wait_for(self, *states: str, seconds: float = PATIENCE_SECONDS) -> str:
        """The first of these states that the client reports."""
        def reached():
            return [state for state in self.reports if state in states]
        with self.told:
            if not self.told.wait_for(reached, seconds):
                raise AssertionError(f"the client told {self.reports}, none of {states}")
            return reached()[0]

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
