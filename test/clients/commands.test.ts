import { expect, test } from "vitest"
import { type HookTool, hookTools } from "../../src/coding/hooks/dialect.ts"
import { createHookWorld, describeWithAgents } from "./hook-world.ts"

/** How each tool is given a command of the user's without a terminal. */
const given: Record<HookTool, string> = {
  "claude-code": "/consolidate",
  codex: "$consolidate",
  "gemini-cli": "/consolidate",
  opencode: "--command consolidate",
}

describeWithAgents.each(hookTools)("With %s connected", (tool) => {
  test("consolidate tells the agent what to run", { timeout: 240_000 }, async () => {
    const { server, installation, ask } = await createHookWorld()
    expect((await installation.run("connect", tool, "--yes")).code).toBe(0)
    server.always({ text: "It is done." })
    const { stdout, stderr } = await ask(tool, given[tool])
    expect(stdout + stderr).toContain("It is done.")
    const asked = JSON.stringify(server.requests.map(({ body }) => body))
    expect(asked).toContain("wake --wait")
  })
})
