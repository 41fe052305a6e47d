import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { hookTools } from "../../src/coding/hooks/dialect.ts"
import { fakeRecall } from "../../testkit/fake-recall.ts"
import { openHookDoor, openHookPort } from "../../testkit/program/hook-door.ts"
import { createHookWorld, describeWithAgents } from "./hook-world.ts"

const texts = {
  start: "<reverie-memory>\nSTART-MARK & the tides\n</reverie-memory>",
  prompt: "<reverie-memory>\nPROMPT-MARK of the moon\n</reverie-memory>",
  tool: "<reverie-memory>\nTOOL-MARK\n</reverie-memory>",
}

/** These programs take seconds to start, and many more on a machine with much to do. */
const timeout = 240_000

describeWithAgents.each(hookTools)("With %s connected", (tool) => {
  test(
    "what is remembered and what comes to mind while it works reach the model, and stand in the transcript",
    async () => {
      const { server, installation, ask, reading, transcripts, project } = await createHookWorld()
      const recall = fakeRecall(texts)
      await openHookDoor(installation, recall)
      expect((await installation.run("connect", tool, "--yes")).code).toBe(0)
      const file = join(project, "tides.txt")
      writeFileSync(file, "Ebb and flow.\n")
      server.always(({ asked }) =>
        asked.messages.some(({ role }) => role === "tool") || asked.tools.length === 0
          ? { text: "They come twice a day." }
          : { calls: [reading(tool, file)] },
      )
      const { code, stdout, stderr } = await ask(tool, "When do the tides come?")
      expect({ code, stdout, stderr }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("twice a day"),
      })
      expect(stderr).not.toMatch(/hook.*(fail|error|invalid)/i)
      const withCall = server.requests.find(({ asked }) => asked.tools.length > 0)
      expect(JSON.stringify(withCall?.body)).toContain("START-MARK")
      expect(JSON.stringify(withCall?.body)).toContain("PROMPT-MARK")
      expect(JSON.stringify(withCall?.body)).not.toContain("TOOL-MARK")
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("TOOL-MARK")
      expect(transcripts(tool)).toContain("PROMPT-MARK")
      const told = recall.heard.map(({ event }) => event)
      const events = told.map((event) => (typeof event === "string" ? event : event.kind))
      expect(events.slice(0, 2)).toEqual(["start", "prompt"])
      expect(events.indexOf("output")).toBeGreaterThan(events.indexOf("tool"))
      expect(told[1]).toEqual({ kind: "prompt", text: "When do the tides come?" })
      const text = expect.stringContaining("Ebb and flow.")
      expect(told).toContainEqual(expect.objectContaining({ kind: "tool", text, isError: false }))
      expect(new Set(recall.heard.map(({ session }) => session.id)).size).toBe(1)
      expect(recall.heard[0]?.session).toMatchObject({ tool, project })
    },
    timeout,
  )

  test(
    "it works as ever while the daemon is away",
    async () => {
      const { server, installation, ask } = await createHookWorld()
      server.always({ text: "They come twice a day." })
      const plain = await ask(tool, "When do the tides come?")
      const before = JSON.stringify(server.requests.at(-1)?.asked.messages.at(-1))
      await installation.run("connect", tool, "--yes")
      const connected = await ask(tool, "When do the tides come?")
      expect(connected.code).toBe(0)
      expect(connected.stdout).toBe(plain.stdout)
      expect(connected.stderr).not.toMatch(/hook.*(fail|error|invalid)/i)
      expect(JSON.stringify(server.requests.at(-1)?.asked.messages.at(-1))).toBe(before)
    },
    timeout,
  )
})

describeWithAgents("With Claude Code connected over HTTP", () => {
  test(
    "what is remembered reaches the model without a process of ours",
    async () => {
      const { server, installation, ask, user } = await createHookWorld()
      const port = await freePort()
      await installation.run("config", "set", "api.port", String(port))
      await installation.run("connect", "claude-code", "--http", "--yes")
      const recall = fakeRecall(texts)
      await openHookDoor(installation, recall)
      await openHookPort(installation, recall, port)
      const settings = JSON.parse(readFileSync(join(user, ".claude/settings.json"), "utf8"))
      expect(settings.hooks.UserPromptSubmit[0].hooks[0].type).toBe("http")
      server.always({ text: "They come twice a day." })
      expect((await ask("claude-code", "When do the tides come?")).stdout).toContain("twice a day")
      const asked = JSON.stringify(server.requests.map(({ body }) => body))
      expect(asked).toContain("START-MARK")
      expect(asked).toContain("PROMPT-MARK")
      const events = recall.heard.map(({ event }) => (typeof event === "string" ? event : event.kind))
      expect(events).toEqual(["start", "prompt", "output", "end"])
    },
    timeout,
  )
})

/** A port that nobody has just now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  if (address === null || typeof address === "string") throw new Error("there is no port")
  return address.port
}
