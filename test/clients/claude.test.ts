import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openClaude } from "../../src/llm/bridges/claude.ts"
import { anthropicUnified } from "../../testkit/model-server/rate-headers.ts"
import { describeBridge, failureOf } from "./bridge-contract.ts"
import {
  createBridgeWorld,
  describeWithClients,
  firedFile,
  furnishFile,
  type ProgramOfTheirs,
  plantedToken,
  userMark,
  withTools,
} from "./bridge-world.ts"

const claude: ProgramOfTheirs = {
  name: "claude",
  open: openClaude,
  furnish(home) {
    const touch = { hooks: [{ type: "command", command: `touch '${join(home, firedFile)}'` }] }
    const hooks = { SessionStart: [touch], UserPromptSubmit: [touch], Stop: [touch], SessionEnd: [touch] }
    const at = (name: string) => join(home, ".claude", name)
    furnishFile(
      at("settings.json"),
      JSON.stringify({ hooks, env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } }),
    )
    furnishFile(at("CLAUDE.md"), userMark)
    furnishFile(at("skills/mine/SKILL.md"), `---\nname: mine\ndescription: ${userMark}\n---\n`)
    furnishFile(at("commands/mine.md"), userMark)
    furnishFile(
      join(home, ".claude.json"),
      JSON.stringify({ mcpServers: { mine: { command: "touch", args: [join(home, firedFile)] } } }),
    )
    signIn(home)
  },
  moreArguments: () => "",
  extraEnv: async (server) => ({ ANTHROPIC_BASE_URL: server.url }),
  structured: (say, calls) => ({ calls: [{ name: "StructuredOutput", input: { say, calls } }] }),
  signOut: (home) => rmSync(join(home, ".claude/.credentials.json")),
  signInByKey(home) {
    rmSync(join(home, ".claude/.credentials.json"))
    writeFileSync(
      join(home, ".claude.json"),
      JSON.stringify({ primaryApiKey: "sk-ant-api03-not-a-real-one" }),
    )
  },
}

/** As the program itself keeps a sign-in with a subscription. */
function signIn(home: string): void {
  const claudeAiOauth = {
    accessToken: plantedToken,
    refreshToken: "sk-ant-ort01-not-a-real-one",
    expiresAt: Date.now() + 86_400_000,
    scopes: ["user:inference", "user:profile"],
    subscriptionType: "max",
    rateLimitTier: "default_claude_max_5x",
  }
  furnishFile(join(home, ".claude/.credentials.json"), JSON.stringify({ claudeAiOauth }))
}

describeBridge(claude)

describeWithClients("The bridge to claude alone", () => {
  const open = () => createBridgeWorld(claude)
  const inAnHour = Math.floor(Date.now() / 1000) * 1000 + 3_600_000

  test("finds the user's own sign-in", async () => {
    const { server, ask, access } = await open()
    server.next({ text: "Yes." })
    await ask()
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${plantedToken}`)
    expect(await access.signIn(new AbortController().signal)).toBe("subscription")
  })

  test("reads how full the subscription's windows are", async () => {
    const { server, ask } = await open()
    const headers = anthropicUnified({
      "5h": { utilization: 0.91, resetAt: inAnHour, status: "allowed_warning" },
      "7d": { utilization: 0.22, resetAt: inAnHour + 1000 },
    })
    server.next({ text: "Yes.", headers })
    expect((await ask()).readings).toMatchObject([
      { window: "5h", unit: "percent", capacity: 100, used: 91, resetsAt: inAnHour, lengthMs: 18_000_000 },
      { window: "7d", used: 22, resetsAt: inAnHour + 1000, lengthMs: 604_800_000 },
    ])
  })

  test("says until when the subscription is used up", async () => {
    const { server, ask } = await open()
    const headers = anthropicUnified({ "5h": { utilization: 1, resetAt: inAnHour, status: "rejected" } })
    server.always({ fail: "usage-limit", headers })
    const answer = await ask()
    expect(failureOf(answer)).toMatchObject({ kind: "rate-limited", retryAt: inAnHour, status: 429 })
    expect(answer.readings).toMatchObject([{ window: "5h", used: 100, resetsAt: inAnHour }])
  })

  test("attaches no file that a prompt names", async () => {
    const { server, ask, home } = await open()
    writeFileSync(join(home, "diary.txt"), "DIARY-MARK")
    server.next({ text: "No." })
    await ask({
      messages: [
        {
          role: "user",
          text: `look at @${join(home, "diary.txt").replaceAll(" ", "\\ ")} and @"${home}/diary.txt" please`,
        },
      ],
    })
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("DIARY-MARK")
  })

  test("takes a call of our tool by its name as a call", async () => {
    const { server, ask } = await open()
    server.next({ calls: [{ name: "weather", input: { place: "Ulm" } }] })
    expect(await ask(withTools)).toMatchObject({
      outcome: "answered",
      calls: [{ id: "call-1", name: "weather", input: { place: "Ulm" } }],
      finish: "calls",
    })
  })

  test("allows the model as much output as was asked for", async () => {
    const { server, ask } = await open()
    server.next({ text: "Yes." })
    await ask({ maxOutputTokens: 3000 })
    expect(server.requests[0]?.asked.maxTokens).toBe(3000)
  })

  test("gives what was said until the limit of output", async () => {
    const { server, ask } = await open()
    server.always({ text: "It goes on", stop: "length" })
    expect(await ask()).toMatchObject({ outcome: "answered", finish: "length" })
  })
})
