import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { configSchema } from "../../src/config/schema.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

function openWorld(files: Record<string, string> = {}, isRepository = false) {
  const root = throwawayFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  if (isRepository) execFileSync("git", ["init", "-q", root])
  const clock = createManualClock()
  const screen = openScreen({ clock }, configSchema.parse({}).privacy)
  return {
    root,
    clock,
    screen,
    check: (text: string) => screen.check(text, { projectRoot: root }),
    from: (...names: string[]) =>
      screen.check("The billing service retries three times.", { projectRoot: root, files: names }),
  }
}

describe("Values of .env files", () => {
  test("are secrets whatever they look like, wherever they are quoted", async () => {
    const { check } = openWorld({
      ".env":
        "GREETING_WORD=marmalade\nexport FOO='open sesame now'\nDATABASE_URL=postgres://app:bluebird@db1/app\n",
      ".env.local": 'LONG="first line of it\nsecond line of it"\nAPI_TOKEN=pony\n',
    })
    const kept = async (text: string) => {
      const screened = await check(text)
      return screened.outcome === "refused" ? screened.reason : screened.text
    }
    expect(await kept("The cat of the house is called marmalade.")).toBe(
      "The cat of the house is called [env-value removed].",
    )
    expect(await kept("He said open sesame now and it opened.")).toBe(
      "He said [env-value removed] and it opened.",
    )
    expect(await kept("A bluebird sat on the window sill.")).toBe(
      "A [env-value removed] sat on the window sill.",
    )
    expect(await kept("It has the second line of it in the middle of the page.")).toBe(
      "It has the [env-value removed] in the middle of the page.",
    )
    expect(await kept("The pony stands in the stable yard.")).toBe(
      "The [env-value removed] stands in the stable yard.",
    )
    const encoded = Buffer.from("marmalade").toString("base64")
    expect(await kept(`The header of the request was ${encoded} today.`)).not.toContain(encoded)
    expect(await kept("The url has open%20sesame%20now in the query string.")).toContain(
      "[env-value removed]",
    )
  })

  test("stay where they are part of another word, short, common, or of a harmless name", async () => {
    const { check } = openWorld({
      ".env":
        "WORD=marmalade\nDEBUG=true\nPORT=3000\nHOST=localhost\nNODE_ENV=development\nAPP_NAME=billing\nX=abc\nURL=https://acme.dev/docs\nLOG_LEVEL=verbose\nDB_PASSWORD=password\n",
    })
    for (const text of [
      "The marmalades are on the shelf.",
      "In development localhost listens on port 3000, true to its name.",
      "The billing team reads https://acme.dev/docs with verbose logs and abc.",
      "The password is on the note.",
    ]) {
      expect(await check(text)).toEqual({ outcome: "clean", text })
    }
  })

  test("of examples are none", async () => {
    const { check } = openWorld({ ".env.example": "WORD=marmalade\n", "other.env": "WORD=marmalade\n" })
    expect(await check("The cat is called marmalade.")).toMatchObject({ outcome: "clean" })
  })

  test("are read again when a file changes, comes or goes", async () => {
    const { check, clock, root } = openWorld({ ".env": "WORD=marmalade\n" })
    expect(await check("The cat of the house is called marmalade.")).toMatchObject({ outcome: "redacted" })
    writeFileSync(join(root, ".env"), "WORD=clementine\n")
    utimesSync(join(root, ".env"), 1, 1)
    writeFileSync(join(root, ".env.test"), "OTHER=tangerine\n")
    await clock.advance(2000)
    expect(await check("The cat of the house is called marmalade.")).toMatchObject({ outcome: "clean" })
    expect(await check("The cat of the house is called clementine.")).toMatchObject({ outcome: "redacted" })
    expect(await check("The cat of the house is called tangerine.")).toMatchObject({ outcome: "redacted" })
  })

  test("are removed from log lines once their project is known", async () => {
    const { check, screen } = openWorld({ ".env": "WORD=marmalade\n" })
    expect(screen.redactSync("marmalade was eaten")).toBe("marmalade was eaten")
    await check("anything")
    expect(screen.redactSync("marmalade was eaten")).toBe("[env-value removed] was eaten")
  })

  test("hold in every place a text was said in, and plain secrets of known projects everywhere", async () => {
    const env = "GREETING_WORD=marmalade\nDB_PASS=Tomate-Kirsche-77\nMASCOT_TITLEWORD=elephant\n"
    const { root, clock } = openWorld({ ".env": env })
    const known: string[] = []
    const screen = openScreen({ clock, knownRoots: async () => known }, configSchema.parse({}).privacy)
    const text = "The cat called marmalade opens the door with Tomate-Kirsche-77 at night."
    expect(await screen.check(text)).toMatchObject({ outcome: "clean" })
    known.push(root)
    await clock.advance(31_000)
    expect(await screen.check(text)).toMatchObject({
      text: "The cat called marmalade opens the door with [env-value removed] at night.",
    })
    expect(await screen.check(text, { sourceRoots: [null, root] })).toMatchObject({
      text: "The cat called [env-value removed] opens the door with [env-value removed] at night.",
    })
    expect(await screen.redact("He said Tomate-Kirsche-77")).toBe("He said [env-value removed]")
  })

  test("are not looked for in files that are too long, folders or broken links", async () => {
    const { check, root } = openWorld({ ".env.big": `WORD=marmalade\n${"#".repeat(300_000)}` })
    mkdirSync(join(root, ".env.d"))
    symlinkSync(join(root, "nowhere"), join(root, ".env.link"))
    expect(await check("The cat is called marmalade.")).toMatchObject({ outcome: "clean" })
  })
})

describe("A memory from a file", () => {
  test("that git ignores is refused, unless git tracks it", async () => {
    const { from, root } = openWorld(
      { ".gitignore": "build/\n*.log\n!kept.log\n", "sub/.gitignore": "private.txt\n", "tracked.log": "x" },
      true,
    )
    execFileSync("git", ["-C", root, "add", "-f", "tracked.log"])
    const reason = (file: string) => ({
      outcome: "refused",
      reason: `it comes from a file that git ignores (${file})`,
    })
    expect(await from("build/out.js")).toMatchObject(reason("build/out.js"))
    expect(await from("src/app.ts", "a.log")).toMatchObject(reason("a.log"))
    expect(await from(join(root, "sub/private.txt"))).toMatchObject(reason(join(root, "sub/private.txt")))
    expect(await from("kept.log", "tracked.log", "src/app.ts")).toMatchObject({ outcome: "clean" })
  })

  test("is judged by .gitignore files outside a repository too", async () => {
    const { from } = openWorld({ ".gitignore": "build/\n*.log\n", "sub/.gitignore": "!kept.log\n" })
    expect(await from("build/out.js")).toMatchObject({ outcome: "refused" })
    expect(await from("sub/a.log")).toMatchObject({ outcome: "refused" })
    expect(await from("sub/kept.log", "src/app.ts")).toMatchObject({ outcome: "clean" })
  })

  test("that .secretsignore lists is refused", async () => {
    const { from, root } = openWorld({ ".secretsignore": "customers/\n*.dump\n!harmless.dump\n" }, true)
    expect(await from("customers/list.csv")).toMatchObject({
      outcome: "refused",
      reason: "it comes from a file that .secretsignore lists (customers/list.csv)",
    })
    expect(await from(join(root, "deep/x.dump"))).toMatchObject({ outcome: "refused" })
    expect(await from("harmless.dump")).toMatchObject({ outcome: "clean" })
  })

  test("is refused if .secretsignore cannot be read", async () => {
    const { from, root } = openWorld()
    mkdirSync(join(root, ".secretsignore"))
    expect(await from("src/app.ts")).toMatchObject({ outcome: "refused" })
  })

  test("of credentials is refused wherever it is", async () => {
    const { from, screen } = openWorld()
    for (const file of [
      ".env",
      "packages/web/.env.production",
      "certs/server.key",
      "/home/me/.ssh/id_ed25519",
      "/home/me/.aws/credentials",
    ]) {
      expect(await from(file), file).toMatchObject({ outcome: "refused" })
    }
    expect(await screen.check("Something short.", { files: ["config/.env"] })).toMatchObject({
      outcome: "refused",
    })
    expect(await from(".env.example", "src/keys.ts", "/home/me/.ssh/config")).toMatchObject({
      outcome: "clean",
    })
  })

  test("is asked about again after a while", async () => {
    const { from, root, clock } = openWorld({}, true)
    expect(await from("a.log")).toMatchObject({ outcome: "clean" })
    writeFileSync(join(root, ".gitignore"), "*.log\n")
    await clock.advance(20_000)
    expect(await from("a.log")).toMatchObject({ outcome: "refused" })
  })

  test("in a repository that would start a program starts none", async () => {
    const { from, root } = openWorld({ "spy.sh": `#!/bin/sh\ntouch "$(dirname "$0")/started"\n` }, true)
    chmodSync(join(root, "spy.sh"), 0o755)
    execFileSync("git", ["-C", root, "add", "spy.sh"])
    execFileSync("git", ["-C", root, "config", "core.fsmonitor", `"${join(root, "spy.sh")}"`])
    await from("src/app.ts")
    expect(() => execFileSync("ls", [join(root, "started")], { stdio: "ignore" })).toThrow()
  })
})
