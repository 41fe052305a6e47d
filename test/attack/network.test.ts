import { spawn, spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { describeWithModel } from "../../testkit/embedding.ts"
import { json, serveHostile, serveThief } from "../../testkit/hostile/hostile-server.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import {
  createInstallation,
  createPlainInstallation,
  type Ended,
  ending,
  type Installation,
} from "../../testkit/program/program.ts"
import { describeWatched, openWatch, type Watch } from "../../testkit/program/watched.ts"
import { plantedKey } from "../../testkit/worlds/model-world.ts"

const bin = fileURLToPath(new URL("../../bin/reverie", import.meta.url))
const library = fileURLToPath(new URL("../../dist/library.js", import.meta.url))
const sentence = "The staging database runs on port 5433"

function configure({ paths }: Installation, tables: Record<string, Record<string, unknown>>): void {
  const text = Object.entries(tables).map(([table, settings]) => {
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    return `\n[${table}]\n${lines.join("\n")}\n`
  })
  appendFileSync(paths.configFile, text.join(""))
}

/** A user of their own, so that whatever is left in their folders is seen. */
function createUser() {
  const user = throwawayFolder()
  const temporary = join(user, "tmp")
  mkdirSync(temporary)
  // The tests' own settings must not hide what the program does by itself.
  const env = { HOME: user, XDG_CACHE_HOME: "", TMPDIR: temporary, ORT_DISABLE_TELEMETRY: "" }
  const left = () =>
    readdirSync(user, { recursive: true })
      .map(String)
      .filter((path) => /\.cache|deviceid|onnxruntime|mat-debug/.test(path))
  return { user, env, left }
}

/** What was reached beside the program's own sockets. */
function elsewhere({ reached }: Watch, ...own: string[]): string[] {
  return reached().filter((place) => !own.some((part) => place.startsWith(part)))
}

const commandLine = fileURLToPath(new URL("../../dist/command-line.js", import.meta.url))

interface Call {
  args: string[]
  variables: Record<string, string | undefined>
}

/** Runs commands one after the other in one process that is watched: to start it takes longer than they do. */
async function runTogether(
  watch: Watch,
  env: Record<string, string>,
  calls: readonly Call[],
): Promise<Ended[]> {
  const file = join(throwawayFolder(), "commands.mjs")
  const script = [
    `import { PassThrough } from "node:stream"`,
    `import { text } from "node:stream/consumers"`,
    `import { runCommandLine } from ${JSON.stringify(commandLine)}`,
    "const ended = []",
    `for (const call of ${JSON.stringify(calls)}) {`,
    "  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]",
    "  stdin.end()",
    "  const said = [text(stdout), text(stderr)]",
    `  const code = await runCommandLine({ ...call, stdin, stdout, stderr, cwd: "/", entry: ${JSON.stringify(bin)} })`,
    "  stdout.end()",
    "  stderr.end()",
    "  ended.push({ code, stdout: await said[0], stderr: await said[1] })",
    "}",
    "console.log(JSON.stringify(ended))",
  ]
  writeFileSync(file, script.join("\n"))
  const [command = "", ...first] = watch.command
  const child = spawn(command, [...first, process.execPath, file], { env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill("SIGKILL"))
  const { stdout, stderr } = await ending(child)
  expect(stderr).toBe("")
  return JSON.parse(stdout)
}

/** How long the runtime waits before it first reports, and more. */
const untilReport = 14_000

describeWatched("The whole program in a world without a network", () => {
  describeWithModel("with the local model", () => {
    async function runLibrary(watch: Watch, env: Record<string, string>, ...setup: string[]): Promise<Ended> {
      const file = join(throwawayFolder(), "use.mjs")
      const use = [
        `const { openMemory } = await import(${JSON.stringify(library)})`,
        `const memory = await openMemory({ home: ${JSON.stringify(throwawayFolder())} })`,
        `console.log((await memory.remember({ content: ${JSON.stringify(sentence)} })).outcome)`,
        `console.log((await memory.retrieve({ query: "staging port" })).memories.length)`,
        `await new Promise((resolve) => setTimeout(resolve, ${untilReport}))`,
        "await memory.close()",
      ]
      writeFileSync(file, [...setup, ...use].join("\n"))
      const [command = "", ...first] = watch.command
      const child = spawn(command, [...first, process.execPath, file], { env: { ...process.env, ...env } })
      onTestFinished(() => void child.kill("SIGKILL"))
      return ending(child)
    }

    test.each(["native", "wasm"])(
      "reports to the maker of its %s runtime from the daemon",
      async (runtime) => {
        const { env, left } = createUser()
        const watch = openWatch()
        const installation = createInstallation({ env, command: [...watch.command, bin] })
        configure(installation, { embedding: { runtime } })
        const { ended } = await installation.daemon()
        // Ending the watch does not end what is watched.
        const stop = { env: { ...process.env, ...env, REVERIE_HOME: installation.home } }
        onTestFinished(() => void spawnSync(bin, ["stop", "--force"], stop))
        const { run } = createInstallation({ home: installation.home })
        expect(await run("memory", "add", sentence)).toMatchObject({ code: 0 })
        expect((await run("memory", "search", "which port has staging?")).stdout).toContain("5433")
        await sleep(untilReport)
        await run("stop")
        await ended
        expect(elsewhere(watch, installation.home)).toEqual([])
        expect(left()).toEqual([])
      },
    )

    test.each(["native", "wasm"])(
      "reports to the maker of its %s runtime from a command",
      async (runtime) => {
        const { env, left } = createUser()
        const watch = openWatch()
        const installation = createInstallation({ env, command: [...watch.command, bin] })
        configure(installation, { embedding: { runtime } })
        expect(await installation.run("memory", "add", sentence)).toMatchObject({ code: 0 })
        expect(elsewhere(watch, installation.home)).toEqual([])
        expect(left()).toEqual([])
      },
    )

    test("reports to the maker of its runtime from another program that uses the library", async () => {
      const { env, left } = createUser()
      const watch = openWatch()
      expect(await runLibrary(watch, env)).toMatchObject({ code: 0, stdout: "saved\n1\n" })
      expect(elsewhere(watch)).toEqual([])
      expect(left()).toEqual([])
    })

    test("reports from a thread of another program, where the environment is only a copy", async () => {
      const { env, left } = createUser()
      const watch = openWatch()
      const inThread = [
        `import { isMainThread, Worker } from "node:worker_threads"`,
        "if (isMainThread) {",
        "  await new Promise((resolve) => new Worker(new URL(import.meta.url)).on('exit', resolve))",
        "  process.exit(0)",
        "}",
      ]
      expect(await runLibrary(watch, env, ...inThread)).toMatchObject({ code: 0, stdout: "saved\n1\n" })
      expect(elsewhere(watch)).toEqual([])
      expect(left()).toEqual([])
    })
  })

  test("calls home from commands of every kind, without a model", async () => {
    const { env, left } = createUser()
    const watch = openWatch()
    const { home } = createPlainInstallation({ env })
    const commands = [
      ["memory", "add", sentence],
      ["memory", "search", "staging"],
      ["models"],
      ["login"],
      ["doctor"],
      ["sessions"],
      ["budget"],
      ["status"],
    ]
    const variables = { ...process.env, ...env, REVERIE_HOME: home }
    const ended = await runTogether(
      watch,
      env,
      commands.map((args) => ({ args, variables })),
    )
    expect(ended).toHaveLength(commands.length)
    for (const { stdout, stderr } of ended) {
      expect(stdout + stderr).not.toBe("")
      expect(stderr).not.toContain("bug in Reverie")
    }
    expect(ended[1]?.stdout).toContain(sentence)
    expect(elsewhere(watch, home)).toEqual([])
    expect(left()).toEqual([])
  })

  test("asks somebody else beside the one model server that is configured", async () => {
    const server = await serveModel()
    server.script([{ text: "ready" }])
    const { env } = createUser()
    const watch = openWatch({ network: "machine" })
    const installation = createPlainInstallation({ env, command: [...watch.command, bin] })
    configure(installation, { models: { local_url: `${server.url}/v1`, provider: "local" } })
    expect(await installation.run("models", "--test", "judge")).toMatchObject({ code: 0 })
    expect(elsewhere(watch, installation.home)).toEqual([new URL(server.url).host])
  })

  const key = { MY_KEY: plantedKey, OPENAI_API_KEY: plantedKey }
  const unsafe: [string, Record<string, string>, Record<string, unknown>][] = [
    ["a key in clear to another machine", key, { local_url: "http://192.0.2.7/v1", local_key_env: "MY_KEY" }],
    [
      "a provider's key in clear to another machine",
      { ...key, OPENAI_BASE_URL: "http://192.0.2.7/v1" },
      { provider: "openai", allow_api_keys: true },
    ],
    [
      "a provider's key to the address where clouds keep credentials",
      { ...key, OPENAI_BASE_URL: "http://169.254.169.254/v1" },
      { provider: "openai", allow_api_keys: true },
    ],
    [
      "a provider's key to such an address in disguise",
      { ...key, OPENAI_BASE_URL: "https://[::ffff:a9fe:a9fe]/v1" },
      { provider: "openai", allow_api_keys: true },
    ],
  ]
  test("sends a key where others could read it", async () => {
    const { env } = createUser()
    const watch = openWatch()
    const homes: string[] = []
    const calls = unsafe.map(([, more, models]) => {
      const installation = createPlainInstallation()
      configure(installation, { models: { provider: "local", local_model: "any", ...models } })
      homes.push(installation.home)
      const variables = { ...process.env, ...env, ...more, REVERIE_HOME: installation.home }
      return { args: ["models", "--test", "judge"], variables }
    })
    const ended = await runTogether(watch, env, calls)
    expect(elsewhere(watch, ...homes)).toEqual([])
    const refused = /is http on another machine, where the key could be intercepted|is a link-local address/
    expect(ended.map(({ code, stdout }, index) => [unsafe[index]?.[0], code, refused.test(stdout)])).toEqual(
      unsafe.map(([what]) => [what, 1, true]),
    )
  })

  test("fetches the embedding model from where a redirect of the hub leads into the machine's own cloud", async () => {
    const { url } = await serveHostile((_, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end()
    })
    const { env } = createUser()
    const watch = openWatch({ network: "machine" })
    const more = { HF_ENDPOINT: url, npm_config_registry: `${url}/`, REVERIE_MODELS: throwawayFolder() }
    const { run, home } = createInstallation({ env: { ...env, ...more }, command: [...watch.command, bin] })
    await run("memory", "add", sentence)
    expect(elsewhere(watch, home)).toEqual([new URL(url).host])
  })
})

describe("A server that redirects to another origin", () => {
  const statuses = [301, 302, 303, 307, 308]

  /** Redirects what `isMeant` says to a thief; answers lists of models well. */
  async function serveRedirect(status: number, isMeant: (path: string) => boolean) {
    const thief = await serveThief()
    const server = await serveHostile(({ path }, response) => {
      if (isMeant(path)) response.writeHead(status, { location: `${thief.url}${path}` }).end()
      else json(response, { data: [{ id: "model" }] })
    })
    return { thief, url: server.url }
  }

  test.each(statuses)("gets a prompt and the key of a local server by %i", async (status) => {
    const { thief, url } = await serveRedirect(status, (path) => path.includes("chat"))
    const installation = createPlainInstallation({ env: { MY_KEY: plantedKey } })
    configure(installation, {
      models: { local_url: `${url}/v1`, local_key_env: "MY_KEY", provider: "local" },
    })
    const { code, stdout } = await installation.run("models", "--test", "judge")
    expect(thief.caught).toEqual([])
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`redirects to ${thief.url}`),
    })
    expect(stdout).not.toContain(plantedKey)
  })

  test("gets the key of a local server when it is asked for its models", async () => {
    const { thief, url } = await serveRedirect(307, (path) => path.endsWith("/models"))
    const installation = createPlainInstallation({ env: { MY_KEY: plantedKey } })
    configure(installation, {
      models: { local_url: `${url}/v1`, local_key_env: "MY_KEY", provider: "local" },
    })
    const { stdout } = await installation.run("models")
    expect(thief.caught).toEqual([])
    expect(stdout).toContain(`cannot be used: it redirects to ${thief.url}`)
  })

  test.each([
    ["openai", 307, "OPENAI"],
    ["openai", 302, "OPENAI"],
    // This one's key stands in a header that other programs take along.
    ["anthropic", 307, "ANTHROPIC"],
    ["anthropic", 308, "ANTHROPIC"],
    ["openrouter", 307, "OPENROUTER"],
  ])("gets the key and the prompt of %s by %i", async (provider, status, name) => {
    const { thief, url } = await serveRedirect(status, () => true)
    const env = { [`${name}_API_KEY`]: plantedKey, [`${name}_BASE_URL`]: `${url}/v1` }
    const installation = createPlainInstallation({ env })
    configure(installation, { models: { provider, allow_api_keys: true } })
    const ended = await installation.run("models", "--test", "judge")
    expect(thief.caught).toEqual([])
    expect(ended.stdout).toContain(`redirects to ${thief.url}`)
  })

  test.each(statuses)("gets what is remembered from an embedding server by %i", async (status) => {
    const { thief, url } = await serveRedirect(status, () => true)
    const installation = createInstallation({ env: { MY_KEY: plantedKey } })
    configure(installation, {
      embedding: { model: "remote", remote_url: `${url}/v1`, remote_model: "m", remote_key_env: "MY_KEY" },
    })
    const ended = await installation.run("memory", "add", sentence)
    expect(thief.caught).toEqual([])
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`redirects to ${thief.url}`) })
  })
})

describe("A key that is not meant for a host", () => {
  test("goes to an embedding server of somebody else, because the variable is usual", async () => {
    const thief = await serveThief()
    const env = { OPENAI_API_KEY: plantedKey, OPENROUTER_API_KEY: plantedKey }
    const installation = createInstallation({ env })
    configure(installation, {
      embedding: { model: "remote", remote_url: `${thief.url}/v1`, remote_model: "m" },
    })
    await installation.run("memory", "add", sentence)
    expect(thief.caught.length).toBeGreaterThan(0)
    expect(JSON.stringify(thief.caught)).not.toContain(plantedKey)
  })

  test("stands before the host in an address, from where it comes into messages", async () => {
    const { run } = createPlainInstallation()
    for (const address of [
      `https://user:${plantedKey}@models.example/v1`,
      `https://${plantedKey}@models.example/v1`,
    ]) {
      const ended = await run("config", "set", "models.local_url", address)
      expect(ended).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("without a name or password in it"),
      })
      expect(ended.stdout + ended.stderr).not.toContain(plantedKey)
    }
  })

  test("stands before the host of a registry, from where it comes into messages", async () => {
    const { url } = await serveThief()
    const address = url.replace("http://", `http://user:${plantedKey}@`)
    const env = {
      HF_ENDPOINT: address,
      npm_config_registry: `${address}/`,
      REVERIE_MODELS: throwawayFolder(),
    }
    const { run, paths } = createInstallation({ env })
    const ended = await run("memory", "add", sentence)
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("its address has a name or password"),
    })
    expect(ended.stdout + ended.stderr).not.toContain(plantedKey)
    expect(existsSync(paths.databaseFile)).toBe(true)
  })

  test("has a line break in it, so that the failure would quote it", async () => {
    const { url } = await serveThief()
    const installation = createPlainInstallation({ env: { MY_KEY: `${plantedKey}\nx-more: yes` } })
    configure(installation, {
      models: { local_url: `${url}/v1`, local_key_env: "MY_KEY", provider: "local" },
    })
    const ended = await installation.run("models", "--test", "judge")
    expect(ended.stdout).toMatch(/MY_KEY is not a valid key/)
    expect(ended.stdout + ended.stderr).not.toContain(plantedKey.slice(0, 20))
  })

  test.each([
    "http://169.254.169.254/latest/",
    "http://2852039166/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://metadata.google.internal./computeMetadata/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
  ])("is to be sent to %s", async (address) => {
    const { run } = createPlainInstallation()
    for (const key of ["models.local_url", "embedding.remote_url"])
      expect(await run("config", "set", key, address)).toMatchObject({ code: 2 })
  })
})
