#!/usr/bin/env -S python3 -B
"""An adapter for the programs that make HotSpot write a dump. It answers `encode`.

usage: writer.py (jcmd|jhsdb) CLASSES

CLASSES is the folder with HeapWriter.class. The JDK is that of JAVA_HOME, or what PATH has.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from plan import plan  # makes protocol.py known, too
from protocol import Refused, Skipped, run, serve

# A small heap without helpers, since all of it is dumped.
OPTIONS = ["-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx256m"]
DUMP = "dump.hprof"
TOOLS = {
    "jcmd": ("jcmd GC.heap_dump", "C++", lambda process: ["jcmd", process, "GC.heap_dump", DUMP]),
    "jhsdb": ("jhsdb jmap", "Java", lambda process: ["jhsdb", "jmap", "--binaryheap", "--dumpfile", DUMP,
                                                     "--pid", process]),
}


def main(tool, classes):
    name, language, command = TOOLS[tool]
    classes = os.path.abspath(classes)
    said = subprocess.run(program(["java", "-version"]), capture_output=True, text=True, check=True).stderr
    version = re.search(r'version "([^"]*)"', said)[1]

    def encode(request):
        if request["format"] != "hprof":
            raise ValueError("format is not declared")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "plan"), "wb") as file:
                file.write(plan(request["path"]))
            # In the folder, since jcmd cannot be given a path with blanks.
            start = program(["java", *OPTIONS, "-cp", classes, "HeapWriter", "plan"])
            with subprocess.Popen(start, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as machine:
                answer = machine.stdout.readline().decode(errors="replace").strip()
                if answer.startswith("skip: "):
                    raise Skipped(answer.removeprefix("skip: "))
                if answer != "ready":
                    raise ValueError("the virtual machine did not make the objects")
                said = run(program(command(str(machine.pid))), folder)
                # It ends when its standard input does, which is here.
            dump = os.path.join(folder, DUMP)
            if not os.path.exists(dump):
                raise Refused(said.strip() or "no dump was written")
            shutil.move(dump, request["out"])
        return {"holder": "HeapWriterHolder"}

    hello = {"name": name, "version": version, "language": language, "reads": [], "levels": [], "writes": ["hprof"]}
    serve(hello, {"encode": encode})


def program(command):
    home = os.environ.get("JAVA_HOME")
    return [os.path.join(home, "bin", command[0]), *command[1:]] if home else command


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in TOOLS:
        sys.exit(__doc__.strip().splitlines()[2])
    main(*sys.argv[1:])
