import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import {
  everyone,
  isSandboxThere,
  openSandboxWorld,
  plantSetuid,
  processesWith,
  type SandboxWorld,
  secret,
} from "../../testkit/sandbox/sandbox-world.ts"

const timeout = 120_000
const isX64 = process.arch === "x64"
/** How long a bomb has: it takes all there is of the machine, and has what processes it may have long before. */
const bombMs = 600

/** A raw call of the kernel; what it gives is printed, -1 where it was refused. */
function call(x64: number, arm64: number, ...args: (number | string)[]): string {
  return `perl -e '$! = 0; my @a = (${args.join(", ")}); my $r = syscall(${isX64 ? x64 : arm64}, @a); print "gave $r\\n"'`
}

const mount = (options: string) => `mount ${options} 2>/dev/null && echo "got through"`

describe.skipIf(!isSandboxThere && process.env.CI !== "true").each(everyone)("A command run by %s", (who) => {
  let world: SandboxWorld

  beforeAll(async () => {
    world = await openSandboxWorld(who)
  })
  afterAll(() => world.close())
  afterEach(() => world.clean())

  /** A script for Node inside, which the sandbox always has. */
  const node = (script: string) => ["node", "-e", script]

  test("can do its work: read, write and run in the worktree", { timeout }, async () => {
    const { output, exitCode, reason } = await world.run("echo hi > a && cat a && pwd && node -p 1+1")
    expect({ output, exitCode, reason }).toEqual({
      output: `hi\n${world.root}\n2\n`,
      exitCode: 0,
      reason: "ended",
    })
    expect(readFileSync(join(world.root, "a"), "utf8")).toBe("hi\n")
  })

  describe("that writes elsewhere", () => {
    const places: [string, (world: SandboxWorld) => string][] = [
      ["beside the worktree", ({ root }) => join(root, "../escaped")],
      ["into the user's home", ({ home }) => join(home, "escaped")],
      ["into another project", ({ other }) => join(other, "escaped")],
      ["into Reverie's own folder", ({ reverieHome }) => join(reverieHome, "state/escaped")],
      ["into the machine's temporary folder", ({ base }) => `${base}-escaped`],
      ["into /usr", () => "/usr/local/bin/reverie-escaped"],
      ["into /etc", () => "/etc/reverie-escaped"],
      ["into /var", () => "/var/lib/reverie-escaped"],
    ]
    test.each(places)("%s", { timeout }, async (_, placeOf) => {
      const place = placeOf(world)
      await world.run(`mkdir -p "$(dirname '${place}')"; echo x > '${place}'`)
      expect(existsSync(place)).toBe(false)
    })

    test("over a file of the user's, by a link that stands in the worktree", { timeout }, async () => {
      symlinkSync(join(world.home, ".bashrc"), join(world.root, "link"))
      await world.run("echo stolen > link")
      expect(readFileSync(join(world.home, ".bashrc"), "utf8")).toBe("# plain\n")
    })

    test("by making what is read-only writable", { timeout }, async () => {
      const { output } = await world.run(
        `${mount("-o remount,rw /usr")}; ${mount("-o remount,rw /")}; ${mount("-t tmpfs x /usr")}; touch /usr/reverie-x /reverie-x`,
      )
      expect(output).not.toContain("got through")
      expect(existsSync("/usr/reverie-x")).toBe(false)
    })
  })

  describe("that reads what is not its business", () => {
    const places: [string, (world: SandboxWorld) => string][] = [
      ["the user's keys", ({ home }) => join(home, ".ssh/id_ed25519")],
      ["the user's sign-in at a cloud", ({ home }) => join(home, ".aws/credentials")],
      ["another project", ({ other }) => join(other, "notes.txt")],
      ["the installation's token", ({ reverieHome }) => join(reverieHome, "state/install.json")],
      ["all memories", ({ reverieHome }) => join(reverieHome, "data/reverie.db")],
      ["a file by a path through /proc/1/root", ({ other }) => `/proc/1/root${other}/notes.txt`],
      [
        "a file by a path through /proc/1/cwd",
        ({ other }) => `/proc/1/cwd/../../../../../..${other}/notes.txt`,
      ],
      ["a file by dots", ({ root, other }) => `${root}/../../../../../${other.split("/").at(-1)}/notes.txt`],
    ]
    test.each(places)("%s", { timeout }, async (_, placeOf) => {
      const { output } = await world.run(["cat", placeOf(world)])
      expect(output).not.toContain(secret)
    })

    test("by looking everywhere", { timeout }, async () => {
      const { output } = await world.run(
        `grep -rs ${secret} / --exclude-dir=usr --exclude-dir=proc --exclude-dir=dev --exclude-dir=node -l | head; grep -s ${secret} /proc/*/environ`,
      )
      expect(output.trim()).toBe("")
    })

    test("its environment and that of whoever started it", { timeout }, async () => {
      const { output } = await world.run("env; cat /proc/1/environ /proc/self/environ | tr '\\0' '\\n'")
      expect(output).not.toContain(secret)
      expect(output).not.toContain("REVERIE_HOME")
      expect(output).toContain("PATH=")
    })

    test("an open file that was left to it", { timeout }, async () => {
      const { output } = await world.run(
        "cat <&9; for f in /proc/self/fd/* /proc/1/fd/*; do timeout 1 head -c 1000 $f; done",
      )
      expect(output).not.toContain(secret)
    })

    test("passwords of the machine", { timeout }, async () => {
      const { output } = await world.run(
        "cat /etc/shadow /etc/gshadow /etc/sudoers; ls -R /etc/ssh /etc/ssl/private /root /home",
      )
      expect(output).not.toMatch(/root:[$*!]/)
      expect(output).not.toContain("_key")
    })

    test("the names of the machine's users and processes", { timeout }, async () => {
      const { output } = await world.run("cat /etc/passwd; hostname; ls /proc | grep -c '^[0-9]'")
      expect(output).not.toContain("root:")
      expect(Number(output.trim().split("\n").at(-1))).toBeLessThan(12)
    })
  })

  describe("that speaks to others", () => {
    const connect = (target: string) =>
      node(
        `require("node:net").connect(${target}).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))`,
      )

    test("a server on this machine", { timeout }, async () => {
      const { output } = await world.run(connect(`{ port: ${world.tcpPort}, host: "127.0.0.1" }`))
      expect(output).not.toContain(secret)
      expect(world.contacts).not.toContain("tcp")
    })

    test("a server by the machine's other addresses", { timeout }, async () => {
      const hosts = Object.values(networkInterfaces()).flatMap((all) =>
        (all ?? []).map(({ address }) => address),
      )
      const script = hosts.map(
        (host) =>
          `try{require("node:net").connect(${world.tcpPort}, ${JSON.stringify(host)}).on("error", () => {})}catch{}`,
      )
      await world.run(node(`${script.join(";")}; setTimeout(() => process.exit(), 1500)`))
      expect(world.contacts).not.toContain("tcp")
    })

    test("somebody by UDP", { timeout }, async () => {
      await world.run(
        node(
          `const s = require("node:dgram").createSocket("udp4"); s.on("error", () => {}); s.send("hi", ${world.udpPort}, "127.0.0.1", () => s.close())`,
        ),
      )
      expect(world.contacts).not.toContain("udp")
    })

    test("a name server", { timeout }, async () => {
      const { output } = await world.run(
        node(`require("node:dns").lookup("example.com", (e) => console.log(e ? "refused" : "found"))`),
      )
      expect(output).not.toContain("found")
    })

    test("the daemon by its socket", { timeout }, async () => {
      const { output } = await world.run(connect(`{ path: ${JSON.stringify(world.daemonSocket)} }`))
      expect(output).not.toContain(secret)
      expect(world.contacts).not.toContain("daemon")
    })

    test("the daemon by a link to its socket that stands in the worktree", { timeout }, async () => {
      symlinkSync(world.daemonSocket, join(world.root, "s"))
      await world.run(connect(`{ path: "s" }`))
      expect(world.contacts).not.toContain("daemon")
    })

    test("a socket without a place in the file system", { timeout }, async () => {
      await world.run(connect(`{ path: ${JSON.stringify(`\0${world.abstractName}`)} }`))
      expect(world.contacts).not.toContain("abstract")
    })

    test("other programs that serve all users", { timeout }, async () => {
      const { output } = await world.run(
        "ls /run/docker.sock /var/run/docker.sock /run/dbus /run/user /run/systemd /tmp/.X11-unix 2>/dev/null",
      )
      expect(output.trim()).toBe("")
    })

    const families: [string, number, number, number][] = [
      ["the hypervisor (VSOCK)", 40, 1, 0],
      ["the wire itself (packets)", 17, 3, 0],
      ["the kernel's ciphers", 38, 5, 0],
      ["a radio (Bluetooth)", 31, 3, 1],
      ["the kernel's audit", 16, 3, 9],
    ]
    test.each(families)("%s", { timeout }, async (_, family, type, protocol) => {
      const { output } = await world.run(call(41, 198, family, type, protocol))
      expect(output).toContain("gave -1")
    })
  })

  describe("that takes more than its share", () => {
    test("of processes, one by one", { timeout }, async () => {
      const { output } = await world.run(
        `perl -e 'my $n = 0; while (1) { my $p = fork(); last unless defined $p; if ($p == 0) { sleep 30; exit } $n++; last if $n > 500 } print "made $n\\n"; kill "KILL", -getpgrp()'`,
      )
      const made = Number(/made (\d+)/.exec(output)?.[1] ?? 0)
      expect(made).toBeLessThanOrEqual(64)
    })

    test("of processes, by a bomb", { timeout }, async () => {
      const mark = `bomb-${who.length}-${process.pid}`
      await world.run(`: ${mark}; f() { f | f & }; f; sleep 60`, { timeoutMs: bombMs })
      expect(processesWith(mark)).toEqual([])
    })

    test("of processes, by a bomb of sessions of their own", { timeout }, async () => {
      const mark = `sessions-${who.length}-${process.pid}`
      const script = `sh -c 'while :; do setsid sh -c "sleep 50; : ${mark}" & done'`
      await world.run(script, { timeoutMs: bombMs })
      expect(processesWith(mark)).toEqual([])
    })

    test("of memory, in one process", { timeout }, async () => {
      const { output } = await world.run(
        `perl -e 'my @a; for (1..40) { push @a, "x" x 20_000_000 } print "got it all"; sleep 2'`,
      )
      expect(output).not.toContain("got it all")
    })

    test("of memory, in many processes", { timeout }, async () => {
      const one = `perl -e 'my $a = "x" x 40_000_000; sleep 15; print "held"' &`
      const { output, reason } = await world.run(
        `${one} ${one} ${one} ${one} ${one} ${one} ${one} ${one} wait`,
      )
      expect({ output, reason }).toEqual({ output: "", reason: "too-much-memory" })
    })

    test("of memory, shared between processes", { timeout }, async () => {
      const { output, reason } = await world.run(
        `perl -e 'my $m = syscall(${isX64 ? 9 : 222}, 0, 1_000_000_000, 3, 0x8021, -1, 0); sleep 15; print "got it all" if $m != -1'`,
      )
      expect(output === "" || reason === "too-much-memory").toBe(true)
      expect(output).not.toContain("got it all")
    })

    test("of memory that belongs to no process", { timeout }, async () => {
      const { output } = await world.run(
        `${call(319, 279, '"x"', 0)}; ${call(29, 194, 0, 100_000_000, 0o1600)}`,
      )
      expect(output).toBe("gave -1\ngave -1\n")
    })

    test("of memory, by files in /tmp", { timeout }, async () => {
      const { output } = await world.run("head -c 300000000 /dev/zero > /tmp/big; wc -c < /tmp/big")
      expect(Number(output.trim().split("\n").at(-1))).toBeLessThanOrEqual(64 * 1024 * 1024)
    })

    test("of memory, by files in /dev and /dev/shm", { timeout }, async () => {
      const { output } = await world.run(
        "head -c 300000000 /dev/zero > /dev/shm/big; wc -c < /dev/shm/big; head -c 1 /dev/zero > /dev/big && echo got through",
      )
      expect(output).not.toContain("got through")
      expect(Number(/^\d+$/m.exec(output)?.[0])).toBeLessThanOrEqual(64 * 1024 * 1024)
    })

    test("of the disk, in one file", { timeout }, async () => {
      await world.run("head -c 300000000 /dev/zero > big; sleep 1")
      expect(statSync(join(world.root, "big")).size).toBeLessThanOrEqual(65 * 1024 * 1024)
    })

    test("of the disk, in many files", { timeout }, async () => {
      const { reason } = await world.run(
        "i=0; while [ $i -lt 200 ]; do head -c 10000000 /dev/zero > f$i; i=$((i+1)); sleep 0.02; done; sleep 10",
      )
      expect(reason).toBe("too-much-disk")
    })

    test("of the disk, in files that are deleted while open", { timeout }, async () => {
      const { output, reason } = await world.run(
        `perl -e 'my @h; for my $i (1..60) { open my $h, ">", "f$i"; unlink "f$i"; syswrite $h, "x" x 10_000_000; push @h, $h; select undef, undef, undef, 0.05 } sleep 5; print "got it all"'`,
      )
      expect({ output, reason }).toEqual({ output: "", reason: "too-much-disk" })
    })

    test("of the disk, by files without content", { timeout }, async () => {
      const { reason } = await world.run(
        "mkdir $(seq 300); for d in *; do for n in 1 2 3 4 5 6 7 8 9; do : > $d/$n; done; done; sleep 60",
        { timeoutMs: 60_000, limits: { disk_mb: 8 } },
      )
      expect(reason).toBe("too-much-disk")
    })

    test("of our memory, by writing without end", { timeout }, async () => {
      const { output } = await world.run("yes | head -c 30000000")
      expect(output.length).toBeLessThan(100_000)
      expect(output).toContain("characters left out")
    })

    test("of time", { timeout }, async () => {
      const { reason, exitCode } = await world.run("while :; do :; done", { timeoutMs: 500 })
      expect({ reason, exitCode }).toEqual({ reason: "timed-out", exitCode: null })
    })
  })

  describe("that outlives its end", () => {
    const marked = (name: string) => `${name}-${who.length}-${process.pid}-outlives`
    const stays: [string, (mark: string) => string][] = [
      ["by a session of its own", (mark) => `setsid sh -c 'sleep 300; : ${mark}' & sleep 0.3`],
      ["by ignoring the end of the terminal", (mark) => `nohup sh -c 'sleep 300; : ${mark}' & sleep 0.3`],
      [
        "by two forks and a session",
        (mark) =>
          `perl -e 'if (fork() == 0) { syscall(${isX64 ? 112 : 157}); if (fork() == 0) { exec "sh", "-c", "sleep 300; : ${mark}" } exit } sleep 1'`,
      ],
    ]
    test.each(stays)("%s", { timeout }, async (name, script) => {
      const mark = marked(name.replaceAll(" ", "-"))
      const { reason } = await world.run(script(mark))
      expect(reason).toBe("ended")
      expect(processesWith(mark)).toEqual([])
    })

    test("by catching every signal, when its time is over", { timeout }, async () => {
      const mark = marked("trap")
      const script = `trap '' TERM HUP INT QUIT; setsid sh -c "trap '' TERM HUP; while :; do sleep 1; done; : ${mark}" & while :; do sleep 1; done`
      const { reason } = await world.run(script, { timeoutMs: 2500 })
      expect(reason).toBe("timed-out")
      expect(processesWith(mark)).toEqual([])
    })

    test("when it is called off", { timeout }, async () => {
      const mark = marked("abort")
      const { reason } = await world.run(`setsid sh -c 'sleep 300; : ${mark}' & sleep 300`, {
        abortAfterMs: 1500,
      })
      expect(reason).toBe("aborted")
      expect(processesWith(mark)).toEqual([])
    })

    test("by stopping itself and the process that watches it", { timeout }, async () => {
      const { reason } = await world.run("kill -STOP 1; kill -STOP $PPID; kill -STOP $$", { timeoutMs: 2500 })
      expect(["timed-out", "ended"]).toContain(reason)
    })

    const moments: [string, (world: SandboxWorld, mark: string) => boolean][] = [
      ["while it runs", ({ root }) => existsSync(join(root, "begun"))],
      ["just when it starts", (_, mark) => processesWith(mark).length > 0],
      ["just when it starts, once more", (_, mark) => processesWith(mark).length > 1],
    ]
    test.each(moments)("when whoever started it is killed, %s", { timeout }, async (name, isNow) => {
      const own = await openSandboxWorld(who)
      const mark = marked(`orphan-${name.replaceAll(/\W+/g, "-")}`)
      const running = own
        .run(`touch begun; setsid sh -c 'sleep 300; : ${mark}' & sleep 300`)
        .catch(() => "gone")
      while (!isNow(own, mark)) await new Promise((done) => setTimeout(done, 5))
      await own.killDriver()
      await running
      const until = Date.now() + 20_000
      while (processesWith(mark).length > 0 && Date.now() < until)
        await new Promise((done) => setTimeout(done, 50))
      expect(processesWith(mark)).toEqual([])
      await own.close()
    })
  })

  describe("that wants more rights", () => {
    test("by ending processes outside", { timeout }, async () => {
      const victim = world.driverPid
      await world.run(`kill -9 ${victim} ${process.pid}; kill -9 -1; sleep 0.2`)
      expect((await world.run("echo alive")).output).toBe("alive\n")
    })

    test.skipIf(process.getuid?.() !== 0)("by a program that runs as root", { timeout }, async () => {
      plantSetuid(world.root)
      const { output } = await world.run(
        "./planted-id -u; ./planted-id -ru; grep NoNewPrivs /proc/self/status",
      )
      const [effective, real] = output.split("\n")
      expect(effective).toBe(real)
      expect(effective).not.toBe("0")
      expect(output).toMatch(/NoNewPrivs:\s+1/)
    })

    test("by making a program that runs as its owner", { timeout }, async () => {
      await world.run(
        `cp /bin/true a; chmod u+s a; chmod 6755 a; perl -e 'umask 0; sysopen(my $h, "b", 0x41, 06755); syscall(${isX64 ? 85 : 1_000_000}, "c", 06755)'; mkdir d`,
      )
      for (const name of readdirSync(world.root))
        expect(lstatSync(join(world.root, name)).mode & 0o6000, name).toBe(0)
    })

    test("by being somebody else", { timeout }, async () => {
      const { output } = await world.run(
        `perl -e '$< = 0; $> = 0; print "uid $< $>\\n"'; su -c id; sudo -n id; grep -E "Cap(Eff|Prm|Inh|Amb)" /proc/self/status`,
      )
      expect(output).not.toMatch(/uid(?:=| )0\b/)
      expect(
        [...output.matchAll(/Cap\w+:\s+(\w+)/g)].map(([, set]) => Number.parseInt(set ?? "1", 16)),
      ).toEqual([0, 0, 0, 0])
    })

    test("by a user namespace of its own", { timeout }, async () => {
      const { output } = await world.run(
        "unshare --user --map-root-user id -u; unshare --user --map-root-user --mount --net --pid --fork id -u",
      )
      expect(output).not.toMatch(/^0$/m)
    })

    const mounts: [string, string][] = [
      ["the machine's processes again", "-t proc proc /tmp"],
      ["a file system in memory", "-t tmpfs x /tmp"],
      ["the root somewhere else", "--bind / /tmp"],
      ["the kernel's own files", "-t sysfs sysfs /tmp"],
      ["control groups", "-t cgroup2 cgroup2 /tmp"],
    ]
    test.each(mounts)("by mounting %s", { timeout }, async (_, options) => {
      expect((await world.run(mount(options))).output).not.toContain("got through")
    })

    test("by settings of the kernel", { timeout }, async () => {
      const { output } = await world.run(
        "for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger /proc/sys/vm/swappiness; do { : >> $f; } 2>/dev/null && echo opened $f; done; ls /sys 2>/dev/null",
      )
      expect(output.trim()).toBe("")
    })

    test("by devices", { timeout }, async () => {
      const { output } = await world.run(
        "mknod disk b 8 0 2>/dev/null && cat disk && echo got through; mknod kmem c 1 2 2>/dev/null && echo got through; ls /dev",
      )
      expect(output).not.toContain("got through")
      expect(output).not.toMatch(/\b(?:sda|vda|nvme0|mem|kmem|kvm|fuse|loop0|input)\b/)
    })

    test("by typing into the terminal it was started from", { timeout }, async () => {
      const { output } = await world.run(
        `perl -e 'open(my $t, "+<", "/dev/tty") and print "has a terminal\\n"; for my $h (*STDIN, *STDOUT) { my $c = "x"; ioctl($h, 0x5412, $c) and print "typed\\n" }'; script -qc "perl -e '\\$c = qq(x); ioctl(STDIN, 0x5412, \\$c) and print qq(typed)'" /dev/null`,
      )
      expect(output).not.toMatch(/has a terminal|typed/)
    })

    const calls: [string, number, number, (number | string)[]][] = [
      ["attaching to the process above it", 101, 117, [16, 1, 0, 0]],
      ["reading another process's memory", 310, 270, [1, 0, 0, 0, 0, 0]],
      ["the kernel's keys (add)", 248, 217, ['"user"', '"reverie"', '"x"', 1, -4]],
      ["the kernel's keys (session)", 250, 219, [0, -4, 1]],
      ["a program inside the kernel", 321, 280, [0, '"\\0" x 128', 128]],
      ["its counters", 298, 241, ['"\\0" x 128', 0, -1, -1, 0]],
      ["faults of memory", 323, 282, [1]],
      ["queues of calls that no filter sees", 425, 425, [8, '"\\0" x 256']],
      ["another namespace", 308, 268, [0, 0]],
      ["a root of its own", 161, 51, ['"/tmp"']],
      ["a file by its number", 304, 265, [0, '"\\0" x 128', 0]],
      ["a tree of mounts", 428, 428, [-100, '"/"', 1]],
      ["a new file system", 430, 430, ['"tmpfs"', 0]],
      ["a namespace by the newest call", 435, 435, ['"\\0\\0\\0\\x10" . "\\0" x 84', 88]],
      ["a file of another process", 438, 438, [0, 0, 0]],
      ["the kernel's messages", 103, 116, [3, '"\\0" x 4096', 4096]],
    ]
    test.each(calls)("by %s", { timeout }, async (_, x64, arm64, args) => {
      expect((await world.run(call(x64, arm64, ...args))).output).toBe("gave -1\n")
    })

    test.skipIf(!isX64)("by the other table of system calls", { timeout }, async () => {
      const { output } = await world.run(call(0x40000000 + 101, 0, 16, 1, 0, 0))
      expect(output).not.toContain("gave 0")
    })
  })
})
