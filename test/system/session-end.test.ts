import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, ending, type Installation } from "../../testkit/program/program.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"

function open() {
  const tools = throwawayFolder()
  const transcripts = join(tools, "claude/projects/-home-ada")
  mkdirSync(transcripts, { recursive: true })
  const installation = createPlainInstallation({ env: toolEnvironment(tools) })
  const file = join(transcripts, "session-1.jsonl")
  let lines = 0
  const say = (content: string) => {
    lines += 1
    const timestamp = new Date().toISOString()
    const message = { role: "user", content }
    const line = { type: "user", uuid: `u${lines}`, timestamp, cwd: installation.home, message }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  }
  return { ...installation, say }
}

async function tellEnd(installation: Installation): Promise<void> {
  const hook = installation.start("hook", "claude-code", "SessionEnd")
  hook.stdin?.end(JSON.stringify({ session_id: "session-1", cwd: installation.home, reason: "exit" }))
  expect(await ending(hook)).toMatchObject({ code: 0, stdout: "" })
}

describe("A tool that tells of a session's end", () => {
  it("has its last words read, the session closed and its lesson kept, while its process may still run", async () => {
    const world = open()
    world.say("What does the build need?")
    const { entry } = await world.daemon()
    await entry("session.read")
    world.say("Never push directly to main.")
    await tellEnd(world)
    expect(await entry("session.extracted")).toMatchObject({ subject: "claude-code:session-1" })
    const { memories } = await world.json<Answer<"list">>("memory", "list")
    expect(memories).toMatchObject([{ content: "Never push directly to main." }])
    const { sessions } = await world.json<Answer<"sessions">>("sessions")
    expect(sessions).toMatchObject([{ id: "claude-code:session-1", status: "closed", learned: 1 }])
  })
})
