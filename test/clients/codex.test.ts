import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openCodex } from "../../src/llm/bridges/codex.ts"
import { serveHttp } from "../../testkit/http-server.ts"
import type { ModelServer } from "../../testkit/model-server/model-server.ts"
import { codexWindows } from "../../testkit/model-server/rate-headers.ts"
import { describeBridge, failureOf } from "./bridge-contract.ts"
import {
  createBridgeWorld,
  describeWithClients,
  firedFile,
  furnishFile,
  type ProgramOfTheirs,
  userMark,
} from "./bridge-world.ts"

const refreshToken = "rt-planted-Qm2vXz81LkTp"

const codex: ProgramOfTheirs = {
  name: "codex",
  open: openCodex,
  furnish(home) {
    const fired = join(home, firedFile)
    const touch = [{ hooks: [{ type: "command", command: `touch '${fired}'` }] }]
    const at = (name: string) => join(home, ".codex", name)
    furnishFile(
      at("config.toml"),
      `notify = ["touch", "${fired}"]\n[mcp_servers.mine]\ncommand = "touch"\nargs = ["${fired}"]\n`,
    )
    furnishFile(
      at("hooks.json"),
      JSON.stringify({ hooks: { SessionStart: touch, UserPromptSubmit: touch, Stop: touch } }),
    )
    furnishFile(at("AGENTS.md"), userMark)
    furnishFile(
      join(home, ".agents/skills/mine/SKILL.md"),
      `---\nname: mine\ndescription: d\n---\n${userMark}`,
    )
    signIn(home, Date.now() + 86_400_000)
  },
  moreArguments: scriptedProvider,
  extraEnv: async () => ({ CODEX_REFRESH_TOKEN_URL_OVERRIDE: await serveRefresh(401) }),
  structured: (say, calls) => ({ text: JSON.stringify({ say, calls }) }),
  signOut: (home) => rmSync(join(home, ".codex/auth.json")),
  signInByKey(home) {
    const auth = { auth_mode: "apikey", OPENAI_API_KEY: "sk-proj-not-a-real-one-0000" }
    writeFileSync(join(home, ".codex/auth.json"), JSON.stringify(auth))
  },
}

/** The server in place of OpenAI's, asked with the user's sign-in. */
function scriptedProvider(server: ModelServer): string {
  const provider = `{name="scripted",base_url="${server.url}/v1",wire_api="responses",requires_openai_auth=true,request_max_retries=0,stream_max_retries=0}`
  return `-c 'model_providers.scripted=${provider}' -c 'model_provider="scripted"'`
}

/** Where tokens are renewed; says no, or gives a new one. */
function serveRefresh(status: 200 | 401): Promise<string> {
  return serveHttp((_, response) => {
    const token = jwt(Date.now() + 86_400_000)
    const renewed = { id_token: token, access_token: token, refresh_token: "rt-renewed" }
    const refused = { error: { code: "refresh_token_expired", message: "expired" } }
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(status === 200 ? renewed : refused))
  })
}

/** As the program itself keeps a sign-in with ChatGPT. */
function signIn(home: string, expiresAt: number): void {
  const token = jwt(expiresAt)
  const auth = {
    auth_mode: "chatgpt",
    OPENAI_API_KEY: null,
    tokens: { id_token: token, access_token: token, refresh_token: refreshToken, account_id: "account-1" },
    last_refresh: new Date(expiresAt - 86_400_000).toISOString(),
  }
  furnishFile(join(home, ".codex/auth.json"), JSON.stringify(auth))
}

function jwt(expiresAt: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const account = { chatgpt_account_id: "account-1", chatgpt_plan_type: "plus", chatgpt_user_id: "user-1" }
  const claims = {
    exp: Math.floor(expiresAt / 1000),
    email: "a@example.org",
    "https://api.openai.com/auth": account,
  }
  return `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.c2ln`
}

describeBridge(codex)

describeWithClients("The bridge to codex alone", () => {
  const open = () => createBridgeWorld(codex)
  const inAnHour = Math.floor(Date.now() / 1000) * 1000 + 3_600_000
  const windows = (primary: number) =>
    codexWindows({
      primary: { usedPercent: primary, windowMinutes: 300, resetAt: inAnHour },
      secondary: { usedPercent: 12, windowMinutes: 10_080, resetAt: inAnHour + 1000 },
    })

  test("uses the user's own sign-in", async () => {
    const { server, ask, access } = await open()
    server.next({ text: "Yes." })
    await ask()
    expect(server.requests[0]?.headers["chatgpt-account-id"]).toBe("account-1")
    expect(await access.signIn(new AbortController().signal)).toBe("subscription")
  })

  test("lets the program renew the sign-in where the user keeps it", async () => {
    const theirs = {
      ...codex,
      extraEnv: async () => ({ CODEX_REFRESH_TOKEN_URL_OVERRIDE: await serveRefresh(200) }),
    }
    const { server, ask, home, folder } = await createBridgeWorld(theirs)
    signIn(home, Date.now() - 86_400_000)
    server.next({ text: "Yes." })
    expect(await ask()).toMatchObject({ outcome: "answered" })
    const auth = JSON.parse(readFileSync(join(home, ".codex/auth.json"), "utf8"))
    expect(auth.tokens.refresh_token).toBe("rt-renewed")
    expect(lstatSync(join(folder, "home/auth.json")).isSymbolicLink()).toBe(true)
    expect(existsSync(join(home, ".codex/sessions"))).toBe(false)
  })

  test("reads how full the subscription's windows are", async () => {
    const { server, ask } = await open()
    server.next({ text: "Yes.", headers: windows(42.5) })
    expect((await ask()).readings).toMatchObject([
      { window: "5h", unit: "percent", capacity: 100, used: 42.5, resetsAt: inAnHour, lengthMs: 18_000_000 },
      { window: "7d", used: 12, resetsAt: inAnHour + 1000, lengthMs: 604_800_000 },
    ])
  })

  test("says until when the subscription is used up", async () => {
    const { server, ask } = await open()
    server.always({ fail: "usage-limit", headers: windows(100) })
    const answer = await ask()
    expect(failureOf(answer)).toMatchObject({ kind: "rate-limited", retryAt: inAnHour })
    expect(answer.readings).toMatchObject([{ window: "5h", used: 100 }, { window: "7d" }])
  })

  test("reads no skill that a prompt names", async () => {
    const { server, ask } = await open()
    server.next({ text: "No." })
    await ask({ messages: [{ role: "user", text: "use $mine and $skill-creator" }] })
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/<skill>|USER-INSTRUCTIONS/)
  })

  test("offers no tool to any model the program knows", async () => {
    const { server, ask, folder } = await open()
    server.always({ text: "Yes." })
    await ask()
    const { models } = JSON.parse(readFileSync(join(folder, "home/models.json"), "utf8"))
    const newest = models[0].slug
    await ask({ model: newest })
    const { body, asked } = server.requests.at(-1) ?? {}
    expect(asked).toMatchObject({ model: newest, tools: [] })
    expect(JSON.stringify(body)).not.toMatch(/additional_tools|"tools":\[\{/)
  })
})
