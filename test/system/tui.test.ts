import { expect, test } from "vitest"
import { createPlainInstallation } from "../../testkit/program/program.ts"
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
