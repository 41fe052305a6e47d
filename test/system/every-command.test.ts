import { afterAll, beforeAll, expect, test } from "vitest"
import { createPlainInstallation, type Ended, type Installation } from "../../testkit/program/program.ts"

/** A line for each command; ID is the memory that the first of them adds. */
const lines = [
  "add The staging port is 5433 --tag infra",
  "memory add Ines studies glaciers --global",
  "status",
  "web --print",
  "search port",
  "memory search glaciers",
  "memory list",
  "memory show ID",
  "memory edit ID The staging port is 5434",
  "memory tag ID net",
  "memory tags",
  "memory rate ID useful",
  "memory why ID port",
  "memory history ID",
  "memory similar ID",
  "memory stats",
  "memory embed",
  "memory clusters",
  "memory link ID knows m_nothing",
  "memory conflicts",
  "memory resolve ID --keep both",
  "memory forget ID",
  "memory restore ID",
  "memory export out/nothing.json",
  "memory import nothing.jsonl",
  "memory prune",
  "memory purge ID",
  "conflicts",
  "resolve ID --keep both",
  "undo",
  "recall port",
  "journal",
  "inbox",
  "inbox list --all",
  "inbox show ask_nothing",
  "inbox approve ask_nothing",
  "inbox deny ask_nothing",
  "inbox respond ask_nothing later",
  "inbox edit ask_nothing --input {}",
  "queue",
  "queue add check the build --in 2h",
  "queue list",
  "queue cancel q_nothing",
  "inbox",
  "cycles",
  "cycles list",
  "cycles show cycle_nothing",
  "cycles approve cycle_nothing",
  "cycles reject cycle_nothing",
  "pause",
  "resume",
  "trust",
  "trust garden",
  "wake",
  "budget",
  "usage",
  "models",
  "logout openai",
  "login",
  "chat setup discord --with-token",
  "chat setup irc --host 127.0.0.1 --port 1 --no-tls",
  "chat setup media giphy --with-key",
  "chat terminal --interval 1",
  "chat policy #garden --message hello --user ann",
  "chat mute irc/net/#garden",
  "chat mute --all",
  "chat mute --all --off",
  "chat why --last",
  "chat stats",
  "chat sources",
  "chat sources undo op_nothing0",
  "chat thoughts",
  "chat rehearse --community discord/garden --hours 2",
  "connect",
  "sessions",
  "sessions show nothing",
  "sessions retry nothing",
  "extract",
  "config path",
  "config get embedding.model",
  "config set ambient.enabled false",
  "config explain ambient.enabled",
  "config validate",
  "config schema",
  "snapshot take",
  "snapshot list",
  "snapshot restore nothing",
  "completion bash",
  "statusline",
  "doctor",
  "init",
  "tui",
  "logs",
  "stop",
  "service print",
  "help",
  "nothing",
]

/** Those that only live as a process of their own, which other files start: daemon.test, mcp.test, hook.test and demo.test. */
const elsewhere = ["start", "restart", "mcp", "hook", "demo"]

const ends: (() => void)[] = []
const onEnd = (work: () => void) => void ends.push(work)
let pair: { installation: Installation; id: string }[] = []

beforeAll(async () => {
  const both = [createPlainInstallation({ spawned: true, onEnd }), createPlainInstallation({ onEnd })]
  pair = await Promise.all(
    both.map(async (installation) => ({ installation, id: await firstMemory(installation) })),
  )
})

afterAll(() => {
  for (const end of ends) end()
})

// In this order: each finds what those before it left.
test.for(lines.slice(1))("the same as a process and in the process of a test: %s", async (line) => {
  const [spawned, inside] = await Promise.all(
    pair.map(async ({ installation, id }) => {
      const words = line.split(" ").map((word) => (word === "ID" ? id : word))
      return plain(await installation.run(...words), installation, id)
    }),
  )
  expect(inside).toEqual(spawned)
})

test("no command is left out of that", async () => {
  const { run } = createPlainInstallation()
  const offered = async (...words: string[]) =>
    (await run("__complete", "--", ...words, "")).stdout.trim().split("\n")
  const tried = lines.map((line) => line.split(" "))
  const first = new Set([...tried.map(([command]) => command), ...elsewhere])
  expect((await offered()).filter((command) => !first.has(command))).toEqual([])
  for (const group of ["memory", "queue", "cycles", "chat", "config", "snapshot"]) {
    const second = new Set(tried.filter(([command]) => command === group).map(([, part]) => part))
    expect((await offered(group)).filter((part) => !second.has(part) && part !== "help")).toEqual([])
  }
})

async function firstMemory({ run }: Installation): Promise<string> {
  const { stdout } = await run(...(lines[0]?.split(" ") ?? []))
  return stdout.trim()
}

/** What differs between any two runs goes: names drawn by lot, folders, sizes, moments. */
function plain({ code, stdout, stderr }: Ended, { home }: Installation, id: string) {
  const clean = (text: string) =>
    text
      .replaceAll(home, "HOME")
      .replaceAll(id, "ID")
      .replaceAll(id.slice(-8), "ID")
      .replaceAll(id.slice(-6), "ID")
      .replaceAll(/\b(?:m|op|q|cycle|install)_[0-9a-z]{6,}/g, "NAME")
      .replaceAll(/^[0-9a-z]{6,8}(?= {2})|\b(?=[a-z]*\d)[0-9a-z]{8}\b/gm, "NAME")
      .replaceAll(/\b\d{8}T\d+Z|Seal: \w+/g, "TIME")
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d[:-]?\d\d[:-]?\d\d(?:[.-]?\d+)?Z?/g, "TIME")
      .replaceAll(/\b\d\d:\d\d(?::\d\d)?\b/g, "TIME")
      .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s|min|kB|KB|MB|GB|bytes)\b/g, "SIZE")
      .replaceAll(/\d+\.\d+/g, "NUMBER")
  return { code, stdout: clean(stdout), stderr: clean(stderr) }
}
