import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Client } from "../../src/api/client.ts"
import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { type HookTool, hookTools } from "../../src/coding/hooks/dialect.ts"
import { createHookWorld, describeWithAgents, type HookWorld } from "./hook-world.ts"

const timeout = 240_000
const told = "Remember that the staging database of this project listens on port 6543."
const question = "Which port does the staging database listen on?"

/** A user who works with these tools, all connected, and a daemon that listens. */
async function createStory(...tools: HookTool[]) {
  const world = await createHookWorld()
  const { client } = await world.installation.daemon()
  for (const tool of tools) await world.installation.run("connect", tool, "--yes")
  world.server.always({ text: "All right." })
  return { ...world, client }
}

/** The first entry that is meant, from the journal's beginning. */
async function entry(client: Client, isMeant: (one: EntryJson) => boolean): Promise<EntryJson> {
  const found = new AbortController()
  try {
    for await (const one of client.follow({ after: 0 }, found.signal)) if (isMeant(one)) return one
  } finally {
    found.abort()
  }
  throw new Error("the journal ended without it")
}

/** Waits until a session of the tool was read, and has it learned from; gives its id. */
async function learn(
  { client, installation }: Pick<HookWorld, "installation"> & { client: Client },
  tool: HookTool,
) {
  const { subject } = await entry(
    client,
    ({ kind, subject: id }) => kind === "session.read" && id?.startsWith(`${tool}:`) === true,
  )
  if (!subject) throw new Error("the session has no id")
  const { code, stderr } = await installation.run("extract", subject)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return subject
}

async function contents(client: Client): Promise<string[]> {
  const { memories } = await client.list({ allProjects: "true" })
  return memories.map(({ content }) => content)
}

describeWithAgents("A memory", () => {
  test(
    "that is told in one tool and corrected in another comes with the right prompt in all of them, and is not learned again there",
    async () => {
      const story = await createStory(...hookTools)
      const { client, server, ask, project, transcripts } = story
      await ask("claude-code", told)
      await learn(story, "claude-code")
      expect(await contents(client)).toEqual([expect.stringContaining("6543")])
      await ask("codex", "Remember that the staging database of this project listens on port 7654.")
      await learn(story, "codex")
      expect(await contents(client)).toEqual([expect.stringContaining("7654")])
      // The start of a session tells only the newest facts: these keep the answer for the prompt that asks for it.
      for (const fact of ["The logo is green", "Ada owns the invoices", "Mails go out at noon"])
        await client.add({ content: fact, project })
      const answered = async (tool: HookTool, prompt: string) => {
        const before = server.requests.length
        await ask(tool, prompt)
        return JSON.stringify(server.requests.slice(before).map(({ body }) => body))
      }
      /** What came with prompts so far; the start of a session is turn 0. */
      const withPrompts = async () => {
        const { entries } = await client.journal({ kind: "recall.surfaced" })
        return entries.filter(({ data }) => (data as { turn: number }).turn > 0)
      }
      const known = async () => {
        const { memories } = await client.list({ allProjects: "true" })
        return memories.map(({ content, strength }) => ({ content, strength }))
      }
      const before = await known()
      expect(before).toHaveLength(4)
      for (const [index, tool] of (["opencode", "gemini-cli"] as const).entries()) {
        expect(await answered(tool, question)).toContain("7654")
        expect(await withPrompts()).toHaveLength(index + 1)
        expect(transcripts(tool)).toContain("7654")
        await learn(story, tool)
        expect(await known()).toEqual(before)
        await answered(tool, "Write a poem about mountains in winter")
        expect(await withPrompts()).toHaveLength(index + 1)
      }
    },
    2 * timeout,
  )

  test(
    "of a session that was killed is learned later",
    async () => {
      const story = await createStory("codex")
      const { client, server, start } = story
      server.always({ hang: true })
      const agent = start("codex", told)
      await server.received(1)
      if (agent.pid !== undefined) process.kill(-agent.pid, "SIGKILL")
      await learn(story, "codex")
      expect(await contents(client)).toEqual([expect.stringContaining("6543")])
    },
    timeout,
  )
})

describeWithAgents.each(hookTools)("A rule of the user in %s", (tool) => {
  test(
    "is shown before an edit that breaks it is made, and the agent may make it again",
    async () => {
      const { client, server, ask, writing, project } = await createStory(tool)
      await client.add({ content: "Never use println! in this project", project })
      const file = join(project, "main.rs")
      const wasThere: boolean[] = []
      server.always(({ asked }) => {
        const results = asked.messages.filter(({ role }) => role === "tool")
        if (asked.tools.length === 0 || results.length > 1) return { text: "All right." }
        wasThere.push(existsSync(file))
        return { calls: [writing(tool, file, "fn main() { println!() }")] }
      })
      await ask(tool, "Write a program")
      const bodies = server.requests.map(({ body }) => JSON.stringify(body))
      const told = bodies.filter((body) => body.includes("Reverie held this call once"))
      expect(told[0]).toContain("Never use println! in this project")
      // The first call wrote nothing.
      expect(wasThere).toEqual([false, false])
    },
    timeout,
  )
})
