import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { hookToken } from "../../src/config/install.ts"
import { fakeRecall } from "../../testkit/fake-recall.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { openHookDoor, openHookPort } from "../../testkit/program/hook-door.ts"
import {
  createPlainInstallation,
  type Ended,
  ending,
  type Installation,
} from "../../testkit/program/program.ts"

const prompt = { session_id: "s-1", cwd: "/src/tides", hook_event_name: "UserPromptSubmit", prompt: "hello" }
const printed = { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "the tides" } }

/** A machine with much to do must not make a test fail. */
const patient = { REVERIE_HOOK_SECONDS: "20" }

type Connected = Installation & { user: string; hookEnv: Record<string, string> }

async function createConnected(
  hookEnv: Record<string, string> = patient,
  home = throwawayFolder(),
): Promise<Connected> {
  const user = throwawayFolder()
  const env = { HOME: user, CODEX_HOME: "", ...hookEnv }
  const installation = createPlainInstallation({ env, home })
  await installation.run("connect", "codex", "--yes")
  return { ...installation, user, hookEnv }
}

/** A PATH with a shell's own tools and Node, but without curl. */
function pathWithoutCurl(): string {
  const folder = throwawayFolder()
  for (const program of ["sh", "cat"]) symlinkSync(`/bin/${program}`, join(folder, program))
  return folder
}

/** Runs a hook as a tool would: the command of its settings in a shell. */
function runCommand(command: string, input: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn("/bin/sh", ["-c", command], { env })
  onTestFinished(() => void child.kill("SIGKILL"))
  // A hook that does not read what it is given would be an error here.
  child.stdin.end(input)
  const failed = once(child.stdin, "error").then(([error]) => Promise.reject(error))
  return Promise.race([ending(child), failed])
}

/** The forms in which a hook can run. */
const forms = [
  { form: "by curl", run: byProgram(() => process.env) },
  { form: "by Node where there is no curl", run: byProgram(() => ({ PATH: pathWithoutCurl() })) },
  { form: "as `reverie hook`", run: byReverie },
]

function byProgram(env: () => NodeJS.ProcessEnv) {
  return ({ user, hookEnv }: Connected, event: string, input: string) => {
    const { hooks } = JSON.parse(readFileSync(join(user, ".codex/hooks.json"), "utf8"))
    return runCommand(hooks[event][0].hooks[0].command, input, { ...env(), ...hookEnv })
  }
}

async function byReverie(installation: Installation, event: string, input: string): Promise<Ended> {
  const child = installation.start("hook", "codex", event)
  child.stdin?.end(input)
  return ending(child)
}

describe.each(forms)("A hook run $form", ({ run }) => {
  test("hands on what it is given, and prints what comes back", async () => {
    const installation = await createConnected()
    const recall = fakeRecall({ prompt: "the tides" })
    await openHookDoor(installation, recall)
    const { code, stdout, stderr } = await run(installation, "UserPromptSubmit", JSON.stringify(prompt))
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(JSON.parse(stdout)).toEqual(printed)
    const session = { id: "codex:s-1", tool: "codex", project: "/src/tides" }
    expect(recall.heard).toEqual([{ session, event: { kind: "prompt", text: "hello" } }])
  })

  test("finds the daemon where the home's path is too long for a socket", async () => {
    const home = join(throwawayFolder(), "a-rather-deep-folder/".repeat(6))
    mkdirSync(home, { recursive: true })
    const installation = await createConnected(patient, home)
    expect(installation.paths.socket.startsWith(home)).toBe(false)
    await openHookDoor(installation, fakeRecall({ prompt: "the tides" }))
    const { stdout } = await run(installation, "UserPromptSubmit", JSON.stringify(prompt))
    expect(JSON.parse(stdout)).toEqual(printed)
  })

  test("prints nothing where there is nothing to say", async () => {
    const installation = await createConnected()
    await openHookDoor(installation, fakeRecall())
    expect(await run(installation, "Stop", JSON.stringify(prompt))).toEqual(silent)
  })

  test("is silent when the daemon is away or does not answer", async () => {
    const installation = await createConnected({ REVERIE_HOOK_SECONDS: "" })
    const input = JSON.stringify(prompt)
    expect(await run(installation, "UserPromptSubmit", input)).toEqual(silent)
    mkdirSync(dirname(installation.paths.socket), { recursive: true })
    const mute = createServer(() => {}).listen(installation.paths.socket)
    await once(mute, "listening")
    onTestFinished(() => void mute.close())
    expect(await run(installation, "UserPromptSubmit", input)).toEqual(silent)
  })

  test("is silent when recall fails", async () => {
    const installation = await createConnected()
    const failing = { ...fakeRecall(), turn: () => Promise.reject(new Error("no")) }
    await openHookDoor(installation, failing)
    expect(await run(installation, "UserPromptSubmit", JSON.stringify(prompt))).toEqual(silent)
  })

  test("is silent about what is not JSON", async () => {
    const installation = await createConnected()
    await openHookDoor(installation, fakeRecall({ prompt: "the tides" }))
    expect(await run(installation, "UserPromptSubmit", "{")).toEqual(silent)
    expect(await run(installation, "UserPromptSubmit", "")).toEqual(silent)
  })

  test("takes megabytes, with a daemon and without", async () => {
    const installation = await createConnected()
    const input = JSON.stringify({ ...prompt, prompt: `hello ${"x".repeat(12_000_000)}` })
    expect(await run(installation, "UserPromptSubmit", input)).toEqual(silent)
    const recall = fakeRecall({ prompt: "the tides" })
    await openHookDoor(installation, recall)
    expect(await run(installation, "UserPromptSubmit", input)).toMatchObject({ code: 0, stderr: "" })
    expect(recall.heard).toMatchObject([{ event: { kind: "prompt" } }])
  })
})

const silent = { code: 0, stdout: "", stderr: "" }

test("A hook is silent when Reverie itself is gone", async () => {
  const user = throwawayFolder()
  mkdirSync(join(user, ".codex"))
  const { run, paths } = createPlainInstallation({ env: { HOME: user, CODEX_HOME: "" } })
  await run("connect", "codex", "--yes")
  const { hooks } = JSON.parse(readFileSync(join(user, ".codex/hooks.json"), "utf8"))
  rmSync(paths.dataDir, { recursive: true })
  expect(existsSync(paths.dataDir)).toBe(false)
  const child = spawn("/bin/sh", ["-c", hooks.Stop[0].hooks[0].command])
  child.stdin.on("error", () => {})
  child.stdin.end("{}")
  expect(await ending(child)).toEqual(silent)
})

test("A hook does not heed the user's own settings of curl or a proxy", async () => {
  const installation = await createConnected()
  await openHookDoor(installation, fakeRecall({ prompt: "the tides" }))
  writeFileSync(join(installation.user, ".curlrc"), "verbose\nproxy = http://127.0.0.1:9\nmax-time = 0.001\n")
  const { hooks } = JSON.parse(readFileSync(join(installation.user, ".codex/hooks.json"), "utf8"))
  const env = { ...process.env, ...patient, HOME: installation.user, http_proxy: "http://127.0.0.1:9" }
  const { stdout, stderr } = await runCommand(
    hooks.UserPromptSubmit[0].hooks[0].command,
    JSON.stringify(prompt),
    env,
  )
  expect(JSON.parse(stdout)).toEqual(printed)
  expect(stderr).toBe("")
})

describe("Hooks over HTTP", () => {
  async function createPort() {
    const installation = createPlainInstallation()
    await installation.daemon()
    const { token } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
    const url = await openHookPort(installation, fakeRecall({ prompt: "the tides" }))
    const ask = (path: string, shown: string) =>
      fetch(url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${shown}` },
        body: JSON.stringify(prompt),
      })
    return { ask, token, installation }
  }

  test("are answered with the hooks' own token, or the installation's", async () => {
    const { ask, token } = await createPort()
    const hook = "/v1/hooks/claude-code/UserPromptSubmit"
    expect(await (await ask(hook, hookToken(token))).json()).toEqual(printed)
    expect((await ask(hook, token)).status).toBe(200)
    expect((await ask(hook, "else")).status).toBe(401)
  })

  test("have a token that opens nothing else", async () => {
    const { token, installation } = await createPort()
    const { daemon } = await installation.json<{ daemon: { url: string } }>("status")
    const ask = (path: string, shown: string) =>
      fetch(daemon.url + path, { headers: { authorization: `Bearer ${shown}` } })
    expect((await ask("/v1/memories", token)).status).toBe(200)
    expect((await ask("/v1/memories", hookToken(token))).status).toBe(401)
    expect((await ask("/v1/hooks/../memories", hookToken(token))).status).toBe(401)
    expect((await ask("/v1/hooks/%2e%2e/memories", hookToken(token))).status).toBe(401)
  })
})

test("The daemon answers hooks, and knows which there are", async () => {
  const installation = await createConnected()
  await installation.daemon()
  expect(await forms[0]?.run(installation, "UserPromptSubmit", JSON.stringify(prompt))).toEqual(silent)
  const ask = (path: string) =>
    socketFetch(installation.paths.socket)(`http://reverie/v1/hooks/${path}`, {
      method: "POST",
      body: JSON.stringify(prompt),
    })
  expect((await ask("codex/UserPromptSubmit")).status).toBe(204)
  expect((await ask("codex/Elsewhere")).status).toBe(404)
  expect((await ask("emacs/UserPromptSubmit")).status).toBe(404)
})
