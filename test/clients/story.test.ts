import { expect, test } from "vitest"
import type { Client } from "../../src/api/client.ts"
import type { EntryJson } from "../../src/api/contract.ts"
import type { HookTool } from "../../src/coding/hooks/dialect.ts"
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
    "of one tool's session comes up in another tool's next one, and is not learned again there",
    async () => {
      const story = await createStory("codex", "opencode")
      const { client, server, ask, transcripts } = story
      await ask("codex", told)
      await learn(story, "codex")
      expect(await contents(client)).toEqual([expect.stringContaining("6543")])
      const before = server.requests.length
      await ask("opencode", question)
      expect(JSON.stringify(server.requests.slice(before).map(({ body }) => body))).toContain("6543")
      expect(transcripts("opencode")).toContain("6543")
      await learn(story, "opencode")
      const { memories } = await client.list({ allProjects: "true" })
      expect(memories).toMatchObject([{ strength: 1 }])
    },
    timeout,
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
