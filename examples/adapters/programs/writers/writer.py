#!/usr/bin/env -S python3 -B
"""An adapter for the programs that make HotSpot write a dump. It answers `encode`.

usage: writer.py TOOL CLASSES [HOME]

TOOL is one of jcmd, jcmd-all, jcmd-gz, jcmd-parallel, jmap, jhsdb, jhsdb-gz, out-of-memory and agent. CLASSES is the
folder with HeapWriter.class. The JDK is that of HOME, or else of JAVA_HOME, or what PATH has.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from plan import plan  # makes protocol.py known, too
from protocol import Refused, Skipped, run, serve

DUMP = "dump.hprof"
# A small heap without helpers, since all of it is dumped.
SMALL = ["-XX:-UsePerfData", "-Xmx256m"]
SERIAL = ["-XX:+UseSerialGC", *SMALL]
# A collector with workers, without which a dump has one writer, whatever was asked for.
PARALLEL = ["-XX:+UseParallelGC", "-XX:ParallelGCThreads=2", *SMALL]


class Tool:
    """One way to a dump: a command for a process, or what the process is told when it starts."""

    def __init__(self, name, language, command=None, options=SERIAL, arguments=()):
        self.name, self.language, self.command = name, language, command
        self.options, self.arguments = options, arguments


def jcmd(*arguments):
    return lambda process: ["jcmd", process, "GC.heap_dump", *arguments, DUMP]


def jhsdb(*arguments):
    return lambda process: ["jhsdb", "jmap", "--binaryheap", *arguments, "--dumpfile", DUMP, "--pid", process]


TOOLS = {
    "jcmd": Tool("jcmd GC.heap_dump", "C++", jcmd()),
    "jcmd-all": Tool("jcmd GC.heap_dump -all", "C++", jcmd("-all")),
    "jcmd-gz": Tool("jcmd GC.heap_dump -gz=1", "C++", jcmd("-gz=1")),
    "jcmd-parallel": Tool("jcmd GC.heap_dump -parallel=2", "C++", jcmd("-parallel=2"), PARALLEL),
    "jmap": Tool("jmap -dump:live", "C++", lambda process: ["jmap", f"-dump:live,format=b,file={DUMP}", process]),
    "jhsdb": Tool("jhsdb jmap", "Java", jhsdb()),
    "jhsdb-gz": Tool("jhsdb jmap --gz 1", "Java", jhsdb("--gz", "1")),
    "out-of-memory": Tool("HeapDumpOnOutOfMemoryError", "C++", arguments=["exhaust"],
                          options=[*SERIAL, "-XX:+HeapDumpOnOutOfMemoryError", f"-XX:HeapDumpPath={DUMP}"]),
    # It writes when the program ends, which it is let do.
    "agent": Tool("hprof agent", "C", options=[*SERIAL, f"-agentlib:hprof=heap=dump,format=b,file={DUMP}"]),
}


def main(tool, classes, home):
    tool, classes = TOOLS[tool], os.path.abspath(classes)
    home = home and os.path.abspath(home)
    said = subprocess.run(program(home, ["java", "-version"]), capture_output=True, text=True, check=True).stderr
    version = re.search(r'version "([^"]*)"', said)[1]

    def encode(request):
        if request["format"] != "hprof":
            raise ValueError("format is not declared")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "plan"), "wb") as file:
                file.write(plan(request["path"]))
            # In the folder, since jcmd cannot be given a path with blanks.
            start = program(home, ["java", *tool.options, "-cp", classes, "HeapWriter", "plan", *tool.arguments])
            said = ""
            with subprocess.Popen(start, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as machine:
                wait(machine.stdout)
                if tool.command:
                    said = run(program(home, tool.command(str(machine.pid))), folder)
                # It ends when its standard input does, which is here.
            dump = os.path.join(folder, DUMP)
            if not os.path.exists(dump):
                raise Refused(said.strip() or "no dump was written")
            shutil.move(dump, request["out"])
        return {"holder": "HeapWriterHolder"}

    hello = {"name": tool.name, "version": version, "language": tool.language, "reads": [], "levels": [],
             "writes": ["hprof"]}
    serve(hello, {"encode": encode})


def wait(output):
    """Until the objects are there. The virtual machine itself prints on the same channel."""
    for line in output:
        line = line.decode(errors="replace").strip()
        if line.startswith("skip: "):
            raise Skipped(line[len("skip: "):])
        if line == "ready":
            return
    raise ValueError("the virtual machine did not make the objects")


def program(home, command):
    home = home or os.environ.get("JAVA_HOME")
    return [os.path.join(home, "bin", command[0]), *command[1:]] if home else command


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in TOOLS:
        sys.exit(__doc__.strip().splitlines()[2])
    main(*sys.argv[1:3], sys.argv[3] if len(sys.argv) > 3 else None)
