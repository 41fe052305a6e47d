import { appendFileSync, chmodSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect, onTestFinished, test } from "vitest"
import { type Caught, json, pour, serveHostile } from "../../testkit/hostile/hostile-server.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, type Ended, type Installation } from "../../testkit/program/program.ts"

/** More than the program may take of one answer, and far less than it is offered. */
const mostTaken = 200 * 1024 * 1024

/** An installation whose only model is a server that means harm; lists of models are answered well. */
async function askHostile(
  answer: (response: ServerResponse, caught: Caught) => unknown,
  settings: Settings = {},
): Promise<Ended> {
  const { url } = await serveHostile((caught, response) => {
    if (caught.path === "/v1/models") json(response, { data: [{ id: "trojan" }] })
    else answer(response, caught)
  })
  return testModel(useServer(`${url}/v1`, settings))
}

type Settings = Record<string, string | number>

function useServer(url: string, more: Settings = {}, env: Record<string, string> = {}): Installation {
  const installation = createPlainInstallation({ env })
  const settings = { local_url: url, silence_seconds: 5, provider: "local", ...more }
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  appendFileSync(installation.paths.configFile, `\n[models]\n${lines.join("\n")}\n`)
  return installation
}

function testModel({ run }: Installation): Promise<Ended> {
  return run("models", "--test", "judge")
}

/** It ended by itself, as a failure, with one sentence. */
function expectTold(ended: Ended, sentence: RegExp): void {
  expect(ended.stdout.trim()).toMatch(sentence)
  expect(ended.stdout.trim().split("\n")).toHaveLength(1)
  expect(ended.code).toBe(1)
}

function startEvents(response: ServerResponse, headers = {}): void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers })
}

const delta = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "trojan",
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  })}\n\n`

describe("A model server that never stops", () => {
  const endless: [string, string][] = [
    ["streams words for ever", delta("and so on ".repeat(800))],
    ["sends one line without an end", "x".repeat(65_536)],
    ["sends one JSON text without an end", `data: {"a":"${"x".repeat(65_536)}`],
    ["sends comments that keep the line busy", `: ${"wait ".repeat(10_000)}\n`],
    ["sends empty events", "\n".repeat(65_536)],
  ]
  test.each(endless)("%s", async (_, part) => {
    let sent = 0
    const send = async (response: ServerResponse) => {
      startEvents(response)
      sent += await pour(response, part)
    }
    // A busy machine may take seconds to read so much, and nothing of it is an answer.
    const ended = await askHostile(send, { silence_seconds: 40 })
    expectTold(ended, /could not be read \(http:\S+ sent more than 32 MB\)/)
    expect(sent).toBeLessThan(mostTaken)
  })

  test("answers an error whose text never ends", async () => {
    let sent = 0
    const ended = await askHostile(async (response) => {
      response.writeHead(500, { "content-type": "application/json" })
      sent += await pour(response, "x".repeat(65_536))
    })
    expectTold(ended, /sent more than 32 MB/)
    expect(sent).toBeLessThan(mostTaken)
  })

  test("packs megabytes of words into a few kilobytes", async () => {
    const bomb = gzipSync(Buffer.from(delta("boom ".repeat(1000)).repeat(15_000)))
    const ended = await askHostile((response) => {
      startEvents(response, { "content-encoding": "gzip" })
      response.end(bomb)
    })
    expect(bomb.length).toBeLessThan(1024 * 1024)
    expectTold(ended, /sent more than 32 MB/)
  })

  test("lists models without an end", async () => {
    let sent = 0
    const { url } = await serveHostile(async (_, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      sent += await pour(response, '{"data":['.padEnd(65_536, '{"id":"one more"},'))
    })
    expectTold(await testModel(useServer(`${url}/v1`)), /cannot be used: \S+ sent more than 4 MB/)
    expect(sent).toBeLessThan(mostTaken)
  })

  test("drips one word now and then, so that it is never silent", async () => {
    const ended = await askHostile((response) => {
      startEvents(response)
      const timer = setInterval(() => response.write(delta("drip ")), 1000)
      response.on("close", () => clearInterval(timer))
    })
    expectTold(ended, /did not answer in time/)
  }, 120_000)

  test("sends its head one letter at a time", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {})
      const head = "HTTP/1.1 200 OK\r\nx-long: ".padEnd(10_000, "y")
      let at = 0
      const timer = setInterval(() => socket.write(head.charAt(at++)), 500)
      socket.on("close", () => clearInterval(timer))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === "object" && address ? address.port : 0
    const installation = useServer(`http://127.0.0.1:${port}/v1`, { local_model: "trojan" })
    expectTold(await testModel(installation), /cannot be reached|did not answer in time/)
  }, 120_000)
})

describe("A model server that does not keep to its format", () => {
  const answers: [string, (response: ServerResponse) => void, RegExp][] = [
    [
      "sends a head of megabytes",
      (response) => {
        for (let index = 0; index < 64; index += 1) response.setHeader(`x-${index}`, "y".repeat(32_768))
        response.end()
      },
      /cannot be reached \(UND_ERR_HEADERS_OVERFLOW\)/,
    ],
    [
      "answers with a page instead of a stream",
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in here</h1>"),
      /could not be read|gave an empty answer/,
    ],
    [
      "says that its bytes are packed when they are not",
      (response) => {
        startEvents(response, { "content-encoding": "gzip" })
        response.end(delta("hello", "stop"))
      },
      /could not be read|cannot be reached/,
    ],
    [
      "nests its JSON a hundred thousand deep",
      (response) => {
        startEvents(response)
        response.end(`data: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n\n`)
      },
      /could not be read/,
    ],
    [
      "redirects in a circle",
      (response) => response.writeHead(307, { location: "/v1/chat/completions" }).end(),
      /cannot be used: it redirects again and again/,
    ],
    [
      "redirects to a program's address instead of a web address",
      (response) => response.writeHead(307, { location: "file:///etc/passwd" }).end(),
      /cannot be used: it redirects to something else/,
    ],
  ]
  test.each(answers)("%s", async (_, answer, sentence) => {
    expectTold(await askHostile(answer), sentence)
  })

  test("names a model with signs that would move the user's cursor", async () => {
    const { url } = await serveHostile((_, response) =>
      json(response, { data: [{ id: "\u001b[2J\u001b]0;owned\u0007evil" }] }),
    )
    const installation = useServer(`${url}/v1`)
    const said = await Promise.all([installation.run("models"), testModel(installation)])
    expect(said.map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain("\u001b]0;owned")
    expectTold(said[1] as Ended, /lists no model; set models.local_model/)
  })

  test("puts the user's key into its error, to have it written into the log", async () => {
    const key = "sk-local-9fQ2mV7xT4bLr8KzWc3NpYd6"
    const { url } = await serveHostile((caught, response) => {
      if (caught.path === "/v1/models") json(response, { data: [{ id: "trojan" }] })
      else json(response, { error: { message: `bad ${caught.headers.authorization}` } }, 400)
    })
    const { run } = useServer(`${url}/v1`, { local_key_env: "MY_KEY" }, { MY_KEY: key })
    const ended = await run("models", "--test", "judge")
    expectTold(ended, /refused the request/)
    expect(ended.stdout + (await run("usage", "--json")).stdout).not.toContain(key)
  })
})

describe("An embedding server", () => {
  /** On a busy machine the three seconds that an answer may take are over first. */
  const stopped = /sent more than 32 MB|did not answer within 3 seconds/
  async function embedBy(answer: (response: ServerResponse) => unknown): Promise<Ended> {
    const { url } = await serveHostile((_, response) => void answer(response))
    const installation = createPlainInstallation()
    writeFileSync(
      join(installation.home, "config.toml"),
      `[embedding]\nmodel = "remote"\nremote_url = "${url}/v1"\nremote_model = "trojan"\n`,
    )
    return installation.run("memory", "add", "The staging database runs on port 5433")
  }

  test("that sends numbers without an end", async () => {
    let sent = 0
    const ended = await embedBy(async (response) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.write('{"data":[{"embedding":[1')
      sent += await pour(response, ",0.12345678".repeat(6000))
    })
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(stopped) })
    expect(sent).toBeLessThan(mostTaken)
  })

  test("that packs megabytes into kilobytes", async () => {
    const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024, " "))
    const ended = await embedBy((response) =>
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb),
    )
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(stopped) })
  })
})

describe("A program in place of the user's claude", () => {
  test.each([
    ["talks for ever", 'exec yes "{\\"type\\":\\"assistant\\"}"'],
    ["writes one line without an end", "exec tr '\\0' x </dev/zero"],
    ["complains for ever", "(exec yes no >&2) & sleep 1; kill $!; exit 1"],
  ])("%s", async (_, talk) => {
    const folder = throwawayFolder()
    const program = join(folder, "claude")
    const status = `*auth*) echo '{"loggedIn":true,"authMethod":"claude.ai"}' ;;`
    writeFileSync(
      program,
      `#!/bin/sh\ncase "$*" in\n--version) echo 2.1.0 ;;\n${status}\n*) ${talk} ;;\nesac\n`,
    )
    chmodSync(program, 0o755)
    const { run } = createPlainInstallation()
    await run("config", "set", "models.claude_command", program)
    await run("config", "set", "models.provider", "claude")
    const ended = await run("models", "--test", "judge")
    expectTold(ended, /answered far more than was asked|gave no answer|ended with code/)
  })
})
