"""The program `app-store-simulator`, started and driven over its control API."""

import json
import os
import subprocess
import threading
import urllib.request


class Simulator:
    def __init__(self, path):
        names = ["CONTROL", "ADMIN", "PRODUCTION", "SANDBOX"]
        ports = {f"HOLDFAST_SIMULATOR_{name}_PORT": "0" for name in names}
        self.process = subprocess.Popen(
            [path], env={**os.environ, **ports}, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            event = json.loads(line)
            if event["event"] == "ready":
                self.ready = event
                break
        else:
            raise SystemExit("the simulator did not start")
        # What it logs further is read away, so that it never waits for us.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def control(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.ready['controlPort']}/control{path}"
        request = urllib.request.Request(url, method=method, data=data)
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read()

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=10)
