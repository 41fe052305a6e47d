import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client as McpClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Client } from "../../src/api/client.ts"
import { base62, base64, createDraw, digits, hex, letters, lower, upper } from "../../testkit/draw.ts"
import { git } from "../../testkit/git-repository.ts"
import { loopbackOf } from "../../testkit/program/mcp.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"

/** The same secrets every time: `bench privacy` tells how many of other random values are missed. */
const draw = createDraw(createSeededRandom(20261118))
const random = () =>
  draw.text(letters, 2) + draw.text(digits, 2) + draw.text(base62, 20) + draw.text(digits, 1)
const encoded = (text: string) => Buffer.from(text).toString("base64")

/** By which way a secret goes in. */
type Way = "told" | "over MCP" | "imported" | "in a transcript" | "as a title" | "as a branch" | "as a folder"

interface Attack {
  name: string
  way: Way
  text: string
  secret: string
}

function attack(way: Way, name: string, secret: string, text: string): Attack {
  return { way, name, secret, text: text.replace("¿", () => secret) }
}

const words = (count: number) => Array.from({ length: count }, () => draw.pick(wordlist)).join(" ")
const fours = () => Array.from({ length: 4 }, () => draw.text("bcdfghjklmnpqrstvwxz", 4)).join(" ")

const attacks: readonly Attack[] = [
  attack("told", "the token of an .npmrc", random(), "Nexus needs //npm.acme.dev/:_authToken=¿ in CI"),
  attack(
    "told",
    "the login of an .npmrc in base 64",
    encoded(`ci:${random()}`),
    "Artifactory line of the build box: _auth=¿",
  ),
  attack(
    "told",
    "curl with a login glued to a bundle of options",
    random(),
    "Health probe: curl -sSuadmin:¿ https://ci.acme.dev",
  ),
  attack(
    "told",
    "curl with a login behind a bundle of options",
    random(),
    "Fetch it by curl -fsSLu deploy:¿ https://nexus.acme.dev/a.tgz",
  ),
  attack(
    "told",
    "curl with a header glued to its option",
    random(),
    'Ask the vault: curl -sH"X-Vault-Token: ¿" https://vault.acme.dev',
  ),
  attack(
    "told",
    "HTTPie with a login",
    random(),
    "Look at the environment: http -a admin:¿ :8080/actuator/env",
  ),
  attack(
    "told",
    "HTTPie with a header",
    random(),
    "Create a job: http POST api.acme.dev/jobs X-API-Key:¿ name=nightly",
  ),
  attack("told", "MySQL with a glued password", random(), "Dump it: mysqldump -uroot -p¿ billing"),
  attack(
    "told",
    "redis-cli with a plain word for a password",
    `sword${draw.text(lower, 6)}`,
    "redis-cli -h cache1 -a ¿ flushall",
  ),
  attack("told", "a password that is typed to sshpass", random(), "sshpass -p'¿' ssh root@box1 uptime"),
  attack(
    "over MCP",
    "az with a password behind -p",
    random(),
    "az login --service-principal -u app -p ¿ --tenant acme",
  ),
  attack(
    "over MCP",
    "an archive's password glued to -p",
    random(),
    "Unpack the vendor drop: 7z x -p¿ drop.7z",
  ),
  attack("over MCP", "an LDAP password", random(), "ldapsearch -x -D cn=admin,dc=acme -w ¿ -b dc=acme"),
  attack(
    "over MCP",
    "a secret that kubectl is given",
    random(),
    "kubectl create secret generic db --from-literal=value=¿",
  ),
  attack("over MCP", "twelve recovery words", words(12), "Treasury wallet of the team: ¿"),
  attack("over MCP", "twenty-four numbered recovery words", draw.pick(wordlist), "unused"),
  attack(
    "over MCP",
    "an app password in fours",
    fours(),
    "The mail relay uses the app password ¿ for postfix",
  ),
  attack(
    "imported",
    "a wallet's key in hexadecimal digits",
    draw.text(hex, 64),
    "The deployer's private key is 0x¿ on the test chain",
  ),
  attack("imported", "a seed and what it gives", draw.text(hex, 64), "The seed of the hot wallet -> ¿"),
  attack("imported", "a variable of a harmless name", random(), "Before the build: export ACME_THING=¿"),
  attack(
    "imported",
    "a variable as fish sets it",
    draw.text(hex, 64),
    "In config.fish: set -gx LINODE_CLI ¿",
  ),
  attack("imported", "a variable as PowerShell sets it", random(), "In the profile: $env:ACME_THING = '¿'"),
  attack("imported", "a variable of a Dockerfile", random(), "Layer four says ENV ACME_THING ¿ and must go"),
  attack("imported", "a unit of systemd", random(), 'The unit of the worker has Environment="ACME_THING=¿"'),
  attack(
    "imported",
    "a manifest of secrets",
    encoded(random()),
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: billing\ndata:\n  thing: ¿\ntype: Opaque",
  ),
  attack(
    "imported",
    "the logins of Docker",
    encoded(`puller:${random()}`),
    '{"auths":{"registry.acme.dev":{"auth":"¿"}}} breaks kaniko',
  ),
  attack(
    "imported",
    "a line of PostgreSQL's password file",
    random(),
    "The replica reads pg1.acme.dev:5432:*:repl:¿ at start",
  ),
  attack(
    "imported",
    "an address of Oracle",
    random(),
    "spring.datasource.url=jdbc:oracle:thin:scott/¿@//ora1:1521/ORCL",
  ),
  attack(
    "in a transcript",
    "a list of recovery codes",
    `${draw.text(digits, 5)}-${draw.text(hex, 5)}`,
    `GitHub recovery codes:\n${draw.text(digits, 5)}-${draw.text(hex, 5)}\n¿`,
  ),
  attack(
    "in a transcript",
    "what kubectl printed on a line of its own",
    random(),
    "kubectl get secret argocd -o jsonpath='{.data.password}' | base64 -d\n¿\nlogin works now",
  ),
  attack(
    "in a transcript",
    "the seed of a second factor",
    draw.text(`${upper}234567`, 16),
    "scan otpauth://totp/ACME:ops?secret=¿&issuer=ACME",
  ),
  attack(
    "in a transcript",
    "the body of a private key without its head",
    `b3BlbnNzaC1rZXktdjEA${draw.text(base64, 50)}`,
    "the file begins with\n¿\nand goes on",
  ),
  attack(
    "in a transcript",
    "a product's key",
    Array.from(
      { length: 5 },
      () => `${draw.text(upper, 2)}${draw.text(digits, 1)}${draw.text(upper, 2)}`,
    ).join("-"),
    "vsphere license ¿ expired on the second host",
  ),
  attack(
    "in a transcript",
    "the code of a door",
    `3${draw.text("456789", 5)}`,
    "the keypad code is ¿ for rack B14",
  ),
  attack(
    "in a transcript",
    "a signed address",
    random() + random(),
    "fetch https://files.acme.dev/r.pdf?expires=1700000000&Signature=¿ again",
  ),
  attack("as a title", "a session's title", random(), "Rotate ACME_THING=¿ everywhere"),
  attack("as a branch", "the branch of a session", random(), "fix/db-pass-¿"),
  attack(
    "as a branch",
    "the branch of a clone that was pushed",
    `${draw.text(letters, 3)}${draw.text(digits, 2)}${draw.text(base62, 16)}`,
    "fix/api-token-¿",
  ),
  attack("as a folder", "the folder of a session that is not there", random(), "/home/ada/db-password-¿/app"),
].map((one) => (one.name.startsWith("twenty-four") ? numbered(one) : one))

function numbered(one: Attack): Attack {
  const list = words(24).split(" ")
  const text = `Cold wallet:\n${list.map((word, index) => `${index + 1}. ${word}`).join("\n")}`
  return { ...one, text, secret: `11. ${list[10]}\n12. ${list[11]}\n13. ${list[12]}` }
}

const by = (way: Way) => attacks.filter((one) => one.way === way)
const stops: (() => void)[] = []
/** Everything that lasts or was answered, by where it was found. */
const heaps: { place: string; text: string }[] = []

beforeAll(async () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "reverie attack-"))
  stops.push(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, "home")
  const tools = join(folder, "tools")
  mkdirSync(home)
  const clone = createClone(folder)
  const installation = createPlainInstallation({
    home,
    cwd: clone,
    env: toolEnvironment(tools),
    onEnd: (end) => stops.push(end),
  })
  writeSession(tools, clone)
  // In a clone a memory is for its project.
  const added = await installation.run("memory", "add", "The clone of the billing service is here")
  expect(added, added.stderr).toMatchObject({ code: 0 })
  const said: unknown[] = [added]
  // Git is looked at in folders that memories belong to. What a clone has at the first look at it is no push, so one daemon looks before and one after the push.
  const first = await installation.daemon()
  await installation.run("stop")
  await first.ended
  push(clone, by("as a branch")[1]?.text ?? "")
  const daemon = await installation.daemon()
  const { client } = daemon
  said.push(await tellAll(installation, client, folder))
  await waitForAll(client)
  said.push(await client.takeSnapshot(), await installation.run("memory", "export"))
  said.push(
    await client.journal({ after: 0, limit: 10_000 }),
    await installation.run("sessions", "list", "--json"),
  )
  await installation.run("stop")
  await daemon.ended
  heaps.push({ place: "what was answered", text: JSON.stringify(said) })
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    heaps.push({ place: entry.name, text: readFileSync(join(entry.parentPath, entry.name), "latin1") })
  }
}, 240_000)

afterAll(() => {
  for (const stop of stops.reverse()) stop()
})

/** A clone of an empty repository. */
function createClone(folder: string): string {
  const [origin, clone] = [join(folder, "origin.git"), join(folder, "billing")]
  mkdirSync(origin)
  git(origin, "init", "--bare")
  mkdirSync(clone)
  git(clone, "init")
  writeFileSync(join(clone, "README.md"), "billing\n")
  git(clone, "add", "-A")
  git(clone, "commit", "-m", "begin")
  git(clone, "remote", "add", "origin", origin)
  return clone
}

function push(clone: string, branch: string): void {
  git(clone, "checkout", "-b", branch)
  git(clone, "push", "origin", branch)
}

/** A session of Claude Code in the clone, and one in a folder that is not there. */
function writeSession(tools: string, clone: string): void {
  const place = join(tools, "claude", "projects", "-home-ada")
  mkdirSync(place, { recursive: true })
  const line = (number: number, cwd: string, more: object) =>
    JSON.stringify({
      uuid: `u${number}`,
      timestamp: new Date(Date.now() - 60_000 + number * 1000).toISOString(),
      cwd,
      gitBranch: by("as a branch")[0]?.text,
      ...more,
    })
  const says = (content: string) => ({ type: "user", message: { role: "user", content } })
  const lines = by("in a transcript").map(({ text }, index) => line(index, clone, says(text)))
  const title = line(90, clone, { type: "ai-title", aiTitle: by("as a title")[0]?.text })
  writeFileSync(join(place, "one.jsonl"), `${[...lines, title].join("\n")}\n`)
  writeFileSync(
    join(place, "two.jsonl"),
    `${line(0, by("as a folder")[0]?.text ?? "", says("Where am I now?"))}\n`,
  )
}

async function tellAll(installation: Installation, client: Client, folder: string): Promise<unknown[]> {
  const said: unknown[] = []
  for (const { text } of by("told")) said.push(await client.add({ content: text, verbatim: true }))
  const { url, token } = await loopbackOf(installation)
  const mcp = new McpClient({ name: "attacker", version: "1.0.0" })
  const headers = { authorization: `Bearer ${token}` }
  await mcp.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }))
  for (const { text } of by("over MCP")) {
    said.push(await mcp.callTool({ name: "memory_remember", arguments: { content: text } }))
  }
  await mcp.close()
  const file = join(folder, "notes.jsonl")
  writeFileSync(
    file,
    by("imported")
      .map(({ text }) => `${JSON.stringify({ content: text })}\n`)
      .join(""),
  )
  said.push(await installation.run("memory", "import", file, "--verbatim"))
  return said
}

/** Waits until the daemon has read both sessions and noticed the push. */
async function waitForAll(client: Client): Promise<void> {
  const found = new AbortController()
  let turns = 0
  let pushes = 0
  for await (const { kind, data } of client.follow({ after: 0 }, found.signal)) {
    if (kind === "session.read") turns += (data as { turns: number }).turns
    if (kind === "repository.pushed") pushes += 1
    if (turns > by("in a transcript").length && pushes > 0) break
  }
  found.abort()
}

describe("secrets", () => {
  test.each(attacks)("$way: $name", ({ secret }) => {
    const found = heaps.filter(
      ({ text }) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)),
    )
    expect(found.map(({ place }) => place)).toEqual([])
  })

  test("what stood around them was kept, so that their absence means something", () => {
    const stored = heaps
      .filter(({ place }) => place.startsWith("reverie.db"))
      .map(({ text }) => text)
      .join("")
    for (const word of [
      "kaniko",
      "postfix",
      "argocd",
      "Artifactory",
      "tenant acme",
      "fix/db-pass-",
      "Where am I now",
    ]) {
      expect(stored).toContain(word)
    }
    // The push was told of, under a name without the secret.
    expect(stored).toMatch(/"branch":"[^"]{0,60} removed\]#[0-9a-f]{12}"/)
    expect(stored.match(/ removed\]/g)?.length).toBeGreaterThan(30)
  })
})
