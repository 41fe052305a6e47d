import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { contextSchema } from "../../src/safety/permission/request.ts"
import { addRequest } from "../../src/safety/permission/requests.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { openTerminal } from "../../testkit/program/tmux.ts"

const sizes = [
  { columns: 80, lines: 24 },
  { columns: 120, lines: 40 },
]

/** A home with a few memories and something planned, with its daemon. */
async function life() {
  const { home, run, json, daemonHere } = createPlainInstallation()
  await daemonHere()
  await run("add", "The staging database listens on port 5433", "--global", "--tag", "infra")
  await run("add", "Never push to main without a review", "--global")
  await run("add", "Deploys run on Thursdays", "--global")
  await run("queue", "add", "Look whether the nightly build is green", "--in", "2h")
  return { home, run, json }
}

/** Times and ids differ from run to run. */
function steady(screen: string): string {
  return screen
    .replaceAll(/\b\d\d-\d\d \d\d:\d\d:\d\d/g, "MM-DD hh:mm:ss")
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, "DATE")
    .replaceAll(/\b(in )?\d+ (s|min|h)( ago)?\b|just now/g, "TIME")
    .replaceAll(/\b[a-z]{1,8}_[0-9a-z]{12,}/g, "ID")
    .replaceAll(/\b(?=[0-9a-z]{8}\b)(?=[a-z]*\d)[0-9a-z]{8}\b/g, "ID")
    .replaceAll(/ +(?=│)/g, " ")
    .replaceAll(/ +$/gm, "")
    .trimEnd()
}

for (const { columns, lines } of sizes) {
  test(`each page at ${columns}×${lines}`, async () => {
    const { home } = await life()
    const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "", NO_COLOR: "1" }
    const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns, lines })
    const page = async (key: string, shows: string | RegExp) => {
      terminal.press(key)
      const screen = await terminal.showing(shows)
      const rows = screen.trimEnd().split("\n")
      expect(rows.length).toBeLessThanOrEqual(lines)
      expect(screen).toContain("─ Tending ")
      expect(screen).toMatch(/queue\s+1 item, next in .*nightly build/)
      expect(screen).toContain("q quit")
      return steady(screen)
    }
    await terminal.showing("learned  ")
    await terminal.showing(/Nothing is due yet(.*\n)*.*next +in /)
    const pages = [
      await page("2", /\[2 Memory\](.*\n)*.*listens on port 5433/),
      await page("3", /\[3 Inbox\](.*\n)*.*Nothing waits for you\./),
      await page("4", /\[4 Queue\](.*\n)*.*› in /),
    ]
    expect(pages.join("\n\n")).toMatchSnapshot()
    await page("6", "queue.added")
    await page("5", "[5 Cycles]")
    terminal.press("/")
    terminal.press("-l", "review")
    await terminal.showing(/› \d\.\d\d +\w+ +Never push to main/)
    terminal.press("Enter")
    await terminal.showing("/ search")
    terminal.press("Escape")
    await terminal.showing(/listens on port 5433/)
    terminal.press("q")
  })
}

test("another size is drawn anew, and keys act: forget and cancel", async () => {
  const { home, json } = await life()
  const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "" }
  const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns: 80, lines: 24 })
  await terminal.showing("learned  ")
  terminal.resize(120, 40)
  await terminal.showing(/^.{58,62} │ /m)
  terminal.resize(60, 18)
  const small = await terminal.showing("q quit")
  expect(small.trimEnd().split("\n").length).toBeLessThanOrEqual(18)
  terminal.resize(80, 24)
  terminal.press("4")
  await terminal.showing("› in ")
  terminal.press("x")
  await terminal.showing("Nothing is planned")
  expect(await json("queue")).toMatchObject({ items: [] })
  terminal.press("2")
  await terminal.showing("listens on port 5433")
  terminal.press("f")
  await terminal.showing("Forgotten")
})

test("keys that come at once all count, one by one", async () => {
  const { home } = await life()
  const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "", NO_COLOR: "1" }
  const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns: 80, lines: 24 })
  await terminal.showing("learned  ")
  terminal.press("2")
  await terminal.showing(/› .*Deploys run/)
  terminal.press("-l", "jj")
  await terminal.showing(/› .*listens on port 5433/)
  terminal.press("Up", "Up")
  await terminal.showing(/› .*Deploys run/)
  terminal.press("Down", "j", "k")
  await terminal.showing(/› .*Never push/)
  // What follows the key of the search is text.
  terminal.press("-l", "/jk review")
  await terminal.showing("/ jk review")
})

test("Today leaves out what was learned and has been taken back or forgotten since", async () => {
  const { home, run, json } = await life()
  await run("undo")
  const { memories } = await json<Listed>("memory", "list")
  await run("memory", "forget", memories.find(({ content }) => content.includes("5433"))?.id ?? "")
  const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "", NO_COLOR: "1" }
  const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns: 80, lines: 24 })
  const screen = await terminal.showing("learned  ")
  expect(screen.match(/learned {2}/g)).toHaveLength(1)
  expect(screen).toContain("Never push")
})

test("without colour nothing is painted, and the selected line is still told from the others", async () => {
  const { home } = await life()
  const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "", NO_COLOR: "1" }
  const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns: 80, lines: 24 })
  expect(await terminal.showing("learned  ")).toContain("› ")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with it
  expect(terminal.painted()).not.toMatch(/\u001b\[[\d;]*m/)
})

test("a memory that speaks to terminals is shown as text", async () => {
  const { home, run } = await life()
  await run("add", "Look at \u001b[31mred\u001b[2J and \u202eeht", "--global", "--verbatim")
  const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "" }
  const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns: 80, lines: 24 })
  await terminal.showing("learned  ")
  terminal.press("2")
  await terminal.showing("Look at")
  expect(terminal.painted()).not.toContain("\u001b[31m")
})

test("without a terminal it says what it needs", async () => {
  const { run } = createPlainInstallation()
  const { code, stderr } = await run("tui")
  expect(code).toBe(2)
  expect(stderr).toContain("needs a terminal")
})

/** Lets a cycle have asked whether a memory may be put away, as it would with a model. */
async function askToArchive({ paths }: Pick<Installation, "paths">, id: string, description: string) {
  const install: string = JSON.parse(readFileSync(paths.installFile, "utf8")).id
  const world = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...world, url: "", file: paths.databaseFile })
  const now = systemClock.now()
  const request = {
    ...{ askedBy: "cycle_1", project: null, action: "memory_archive", description, rationale: "It is old." },
    ...{ urgency: "normal" as const, wait: false, context: contextSchema.parse({}) },
    call: { tool: "memory_archive", input: { id, reason: "of no use" } },
    expiresAt: now + 3_600_000,
  }
  await db.write((transaction) =>
    addRequest(transaction, { install, random: systemRandom, now }, request, {
      operation: `op_${description}`,
      actor: "ambient",
    }),
  )
  await db.close()
}

interface Listed {
  memories: { id: string; content: string }[]
}

for (const { columns, lines } of sizes) {
  test(`the inbox is decided by keys at ${columns}×${lines}: what is approved runs, what is denied does not`, async () => {
    const installation = createPlainInstallation()
    const { home, run, json, daemonHere } = installation
    const { entry } = await daemonHere()
    for (const text of ["The old wiki is at wiki.example", "Lunch is at noon"])
      await run("add", text, "--global")
    const { memories } = await json<Listed>("memory", "list")
    const idOf = (part: string) => memories.find(({ content }) => content.includes(part))?.id ?? ""
    await askToArchive(installation, idOf("wiki"), "Put the old wiki away")
    const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "", NO_COLOR: "1" }
    const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns, lines })
    await terminal.showing(/› waits +memory_archive +Put the old wiki away/)
    terminal.press("3")
    await terminal.showing(/\[3 Inbox\](.*\n)*.*a approve · d deny/)
    // Another one that comes meanwhile does not take the place of the one that is selected.
    await askToArchive(installation, idOf("Lunch"), "Put lunch away")
    await terminal.showing("Put lunch away")
    expect(await terminal.showing(/› .*Put the old wiki away/)).toContain("› ")
    terminal.press("a")
    await terminal.showing("Approved; it runs once.")
    await entry("permission.done")
    // The next row is not chosen by itself, so that a key pressed twice decides once.
    terminal.press("a")
    await terminal.showing(/^ {2}.*Put lunch away/m)
    terminal.press("Down")
    await terminal.showing(/› .*Put lunch away/)
    terminal.press("d")
    await terminal.showing("Nothing waits for you.")
    await terminal.showing("Denied.")
    const { requests } = await json<{ requests: object[] }>("inbox", "list", "--all")
    expect(requests).toHaveLength(2)
    expect(requests).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ description: "Put the old wiki away", state: "done" }),
        expect.objectContaining({ description: "Put lunch away", state: "denied" }),
      ]),
    )
    const left = await json<Listed>("memory", "list")
    expect(left.memories.map(({ content }) => content)).toEqual(["Lunch is at noon"])
  })

  test(`a conflict is listed and settled, and a cycle undone, by keys at ${columns}×${lines}`, async () => {
    const { home, run, json, daemonHere } = createPlainInstallation()
    const { client } = await daemonHere()
    await run("add", "We never deploy on Fridays", "--global")
    writeFileSync(join(home, "old-notes.md"), "# Release\n\n- We deploy on Fridays\n")
    await run("memory", "import", "old-notes.md", "--no-project")
    for (const text of ["The nightly backup goes to Oslo", "The nightly backup goes to Oslo."])
      await run("add", text, "--global", "--verbatim")
    await run("wake", "--wait")
    const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "", NO_COLOR: "1" }
    const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns, lines })
    await terminal.showing(/› conflict +.*deploy on Fridays ↔ We/)
    await terminal.showing("n keep newer · o keep older · b both")
    terminal.press("n")
    await terminal.showing("Resolved; `reverie undo` undoes it.")
    await terminal.showing(/^\[1 Today\].*\n {2}cycle /)
    expect(await json("conflicts")).toMatchObject({ conflicts: [] })
    const texts = async () => (await json<Listed>("memory", "list")).memories.map(({ content }) => content)
    expect(await texts()).toHaveLength(2)
    terminal.press("5")
    await terminal.showing(/\[5 Cycles\](.*\n)*.*› .*change/)
    const { cycles } = await client.cycles({ limit: 10 })
    const merging = cycles.findIndex(({ receipt }) => receipt.deeds.some(({ changed }) => changed > 0))
    for (let row = 0; row < merging; row += 1) terminal.press("Down")
    terminal.press("u")
    await terminal.showing("Undone (")
    terminal.press("r")
    await terminal.showing(/your verdict +undone/)
    // What is undone is not offered to be undone.
    terminal.press("1")
    await terminal.showing(/^\[1 Today\]/)
    terminal.press("5")
    await terminal.showing(/\[5 Cycles\](.*\n)*.*› .*change/)
    for (let row = 0; row < merging; row += 1) terminal.press("Down")
    await terminal.showing(/your verdict +undone/)
    expect(await terminal.showing("q quit")).not.toContain("u undo")
    expect(await texts()).toHaveLength(3)
  })

  test(`? shows all keys at ${columns}×${lines}, and none of them acts on what is hidden`, async () => {
    const { home, json } = await life()
    const env = { REVERIE_HOME: home, REVERIE_DATABASE_URL: "", NO_COLOR: "1" }
    const terminal = openTerminal({ args: ["tui"], env, cwd: home, columns, lines })
    await terminal.showing("learned  ")
    terminal.press("2")
    await terminal.showing(/› .*Deploys/)
    terminal.press("?")
    const help = await terminal.showing("For the selected item")
    for (const told of [
      "a approve · d deny",
      "f forget · + helpful",
      "x cancel",
      "u undo",
      "b both · u undo",
    ])
      expect(help).toContain(told)
    expect(help.trimEnd().split("\n").length).toBeLessThanOrEqual(lines)
    terminal.press("f")
    terminal.press("?")
    await terminal.showing(/› .*Deploys/)
    expect((await json<Listed>("memory", "list")).memories).toHaveLength(3)
    terminal.press("?")
    await terminal.showing("For the selected item")
    terminal.press("Escape")
    await terminal.showing(/› .*Deploys/)
  })
}
