import { expect, test } from "vitest"
import { createChatInstallation } from "../../testkit/chat/chat-program.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { createPlainInstallation, ending, type Installation } from "../../testkit/program/program.ts"
import { decides } from "../../testkit/worlds/listen-world.ts"

/** Types lines into a room on the screen, and gives what came of it. */
function type({ start }: Installation, lines: readonly string[], ...args: string[]) {
  const child = start("chat", "terminal", "--interval", "1", ...args)
  const done = ending(child)
  child.stdin?.end(`${lines.join("\n")}\n`)
  return done
}

test("a room on the screen: several people, one engine, a memory that stays", async () => {
  const server = await serveModel()
  const installation = createChatInstallation({ server, chat: [] })
  server.script([decides("reply", { text: "I will." })])
  const first = await type(installation, ["bob: Reverie, remember that my cat is called Pixel"])
  expect(first.code).toBe(0)
  expect(first.stderr).toContain("You are in a room with Reverie.")
  expect(first.stdout).toContain("[2] Reverie: I will.")
  const found = await installation.run("search", "cat", "--only-audience", "chat:terminal:terminal")
  expect(found.stdout).toContain("bob's cat is called Pixel")
  expect((await installation.run("search", "cat", "--all-projects")).stdout).not.toContain("Pixel")
  server.script([decides("reply", { text: "Pixel." }), decides("silent", { reason: "idle talk" })])
  const second = await type(installation, ["Reverie, what is the name of the cat of bob?"], "--show")
  expect(second.stdout).toContain("Reverie: Pixel.")
  expect(second.stderr).toMatch(/│ - bob's cat is called Pixel/)
  const third = await type(installation, ["carl: nice weather"])
  expect(third.stderr).toContain("· It stayed silent: idle talk")
  const why = await installation.run("chat", "why", "--last")
  expect(why.stdout).toContain("It stayed silent: idle talk")
  const { rooms } = await installation.json<{ rooms: { room: string; calls: number }[] }>("chat", "stats")
  expect(rooms).toMatchObject([{ room: "terminal/terminal/room", calls: 3, replies: 2, silences: 1 }])
})

test("without a model it says so in one sentence, and shows what it would be asked about", async () => {
  const installation = createPlainInstallation({ spawned: true })
  await installation.run("config", "set", "models.provider", "none")
  const { code, stdout, stderr } = await type(installation, ["hello all", "bob: Reverie, hi"])
  expect(code).toBe(0)
  expect(stdout.replaceAll(/\(Reverie is writing\)\n/g, "")).toBe("")
  expect(stderr).toContain("So it stays silent, and you see its prompts")
  expect(stderr).toMatch(/│ #1 .* ann: hello all/)
  expect(stderr).toMatch(/│ #2 .* bob: Reverie, hi/)
  expect(stderr).toContain("It stayed silent: There is no model to ask.")
})

test("in JSON, a line each", async () => {
  const server = await serveModel()
  const installation = createChatInstallation({ server, chat: [] })
  server.script([decides("reply", { text: "Hello: you." })])
  const { stdout } = await type(installation, ["Reverie, hi"], "--json")
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(lines).toContainEqual({ schemaVersion: 1, kind: "said", text: "Hello: you." })
  expect(lines).toContainEqual({ schemaVersion: 1, kind: "chat.replied", channel: "room", reason: "because" })
})

test("policy explains a channel and a message, also one that nothing was said in", async () => {
  const installation = createPlainInstallation()
  await installation.run("config", "set", "chat.policy.blocked_users", '["42"]')
  const asked = (...more: string[]) => installation.run("chat", "policy", "#garden", ...more)
  expect((await asked()).stdout).toContain("It answers people who address it")
  expect((await asked("--message", "Reverie, hi")).stdout).toContain("would be answered at once")
  expect((await asked("--message", "hi", "--user", "42")).stdout).toContain("would be ignored")
  await installation.run("chat", "mute", "--all")
  expect((await asked()).stdout).toContain("It is muted everywhere")
  await installation.run("chat", "mute", "--all", "--off")
  expect((await asked()).stdout).not.toContain("muted everywhere")
  await installation.run("chat", "mute", "irc/net/#garden")
  const answer = await installation.json<{ room: string; sentences: string[] }>("chat", "policy", "#garden")
  expect(answer.room).toBe("irc/net/#garden")
  expect(answer.sentences[0]).toMatch(/^It is muted here/)
  expect((await installation.run("chat", "mute", "nowhere")).stderr).toContain(
    "It has never received a message",
  )
  expect((await installation.run("chat", "why")).code).toBe(2)
})
