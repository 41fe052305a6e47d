import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { setConfigValue } from "../../src/config/edit.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { faultText, loadConfig, loadProjectConfig, readConfig } from "../../src/config/load.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { allKeys, configSchema, jsonSchema } from "../../src/config/schema.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

function fileWith(text: string): string {
  const file = join(throwawayFolder(), "config.toml")
  writeFileSync(file, text)
  return file
}

function faultsOf(text: string): string[] {
  const file = fileWith(text)
  return readConfig(file).faults.map((fault) => faultText(fault).replace(file, "FILE"))
}

function load(text: string, env: NodeJS.ProcessEnv = {}) {
  const home = throwawayFolder()
  writeFileSync(join(home, "config.toml"), text)
  const environment = readEnvironment({ REVERIE_HOME: home, ...env })
  return loadConfig(environment, pathsFor(environment))
}

describe("A configuration file", () => {
  test("that is missing or empty means the defaults", () => {
    expect(readConfig("/nowhere/config.toml")).toEqual({ config: configSchema.parse({}), faults: [] })
    expect(load("")).toEqual(configSchema.parse({}))
  })

  test("that is not TOML is refused with the line", () => {
    const [fault] = faultsOf('[storage]\nurl = "unfinished\n')
    expect(fault).toMatch(/^FILE, line [23]: this is not valid TOML: .+\.$/)
  })

  test("with an unknown key is refused with line, key and what was meant", () => {
    expect(faultsOf('[storage]\nurll = "x"\n')).toEqual([
      "FILE, line 2: storage.urll is not a setting; did you mean storage.url?",
    ])
    expect(faultsOf("\n\n[memori]\nenabled = true\n")).toEqual([
      "FILE, line 3: memori is not a setting; did you mean memory?",
    ])
    expect(faultsOf('"api.port" = 1\n')[0]).toMatch(/api\.port is in quotes; write it without them/)
    expect(faultsOf('quux = "x"')[0]).toMatch(/line 1: quux is not a setting; remove it/)
  })

  test("with a wrong value is refused with line, key, what is right and what stands there", () => {
    expect(faultsOf('[api]\nport = "abc"\nhttp = 7\n')).toEqual([
      'FILE, line 2: api.port must be a whole number from 0 to 65535, but it is "abc".',
      "FILE, line 3: api.http must be true or false, but it is 7.",
    ])
    expect(faultsOf("storage = 3")[0]).toMatch(/line 1: storage must be a table, but it is 3/)
  })

  test("with several faults tells the first and how to see the rest", () => {
    expect(() => load('[api]\nport = "abc"\nhttp = 7\n')).toThrow(
      /line 2: api\.port.*1 more.*config validate/,
    )
  })

  test("gives way to REVERIE_DATABASE_URL, which is checked too", () => {
    const url = "postgres://me@localhost/db"
    expect(load('[storage]\nurl = "sqlite:x.db"', { REVERIE_DATABASE_URL: url }).storage.url).toBe(url)
    expect(() => load("", { REVERIE_DATABASE_URL: "mysql://x" })).toThrow(
      /REVERIE_DATABASE_URL must be .*; correct/,
    )
  })
})

describe("A project's file", () => {
  const project = (text: string, global = configSchema.parse({})) => {
    const root = throwawayFolder()
    mkdirSync(join(root, ".reverie"))
    writeFileSync(join(root, ".reverie/config.toml"), text)
    return loadProjectConfig(global, root)
  }

  test("may tighten", async () => {
    const tightened = await project("[memory]\nenabled = false\nlongest_text = 500\n")
    expect(tightened.memory).toMatchObject({ enabled: false, longest_text: 500 })
  })

  test("with several faults names the command that shows this file's", async () => {
    await expect(project("[memory]\nenabld = true\nlongst_text = 1\n")).rejects.toThrow(
      /1 more: run `reverie config validate --project '\/.+'`/,
    )
  })

  test("may not loosen, nor set what is not a project's business", async () => {
    const off = configSchema.parse({ memory: { enabled: false } })
    await expect(project("[memory]\nenabled = true\n", off)).rejects.toThrow(
      /may only be tightened.*set it to false or remove/,
    )
    await expect(project("[memory]\nlongest_text = 30000\n")).rejects.toThrow(
      /line 2: memory.longest_text.*at most 20000/,
    )
    await expect(project('[storage]\nurl = "sqlite:x"\n')).rejects.toThrow(
      /storage.url cannot be set by a project/,
    )
  })
})

describe("Setting a value", () => {
  test("keeps comments and other settings, and nobody else may read the file", () => {
    const file = fileWith("# mine\n[api] # door\nport = 1 # note\n")
    expect(setConfigValue(file, "api.port", "8080")).toBe(8080)
    expect(setConfigValue(file, "memory.enabled", "false")).toBe(false)
    const text = readFileSync(file, "utf8")
    expect(text).toContain("# mine\n[api] # door\nport = 8080 # note\n")
    expect(readConfig(file)).toMatchObject({
      faults: [],
      config: { api: { port: 8080 }, memory: { enabled: false } },
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test("refuses unknown keys and wrong values, and leaves the file as it was", () => {
    const file = fileWith("[api]\nport = 1\n")
    expect(() => setConfigValue(file, "api.prt", "2")).toThrow("did you mean api.port?")
    expect(() => setConfigValue(file, "api", "2")).toThrow(/^api is a table; name a key in it, such as api\./)
    expect(() => setConfigValue(file, "api.port", "70000")).toThrow(
      'must be a whole number from 0 to 65535, not "70000"',
    )
    expect(readFileSync(file, "utf8")).toBe("[api]\nport = 1\n")
  })

  test("can mend the very value that is wrong, but refuses while something else is", () => {
    const file = fileWith('[api]\nport = "x"\n')
    setConfigValue(file, "api.port", "2")
    expect(readConfig(file).faults).toEqual([])
    const broken = fileWith("[api\n")
    expect(() => setConfigValue(broken, "api.port", "2")).toThrow(/not valid TOML/)
  })
})

test("every key has help, says what is right, and stands in the schema for editors", () => {
  for (const key of allKeys()) {
    expect(key.help.length, key.name).toBeGreaterThan(20)
    expect(key.expects, key.name).not.toBe("")
  }
  expect(JSON.stringify(jsonSchema())).toContain("snapshot_every_hours")
})

test("a deep home gets its socket where sockets may be", () => {
  const deep = `/tmp/${"d".repeat(120)}`
  const { socket } = pathsFor(readEnvironment({ REVERIE_HOME: deep }))
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103)
  expect(pathsFor(readEnvironment({ REVERIE_HOME: `${deep}2` })).socket).not.toBe(socket)
})

test("a setting in a table of a table is set, found and explained by its dotted name", () => {
  const file = fileWith('# mine\n[chat.irc]\nnick = "fern"\n')
  setConfigValue(file, "chat.irc.host", "irc.example.org")
  expect(readConfig(file).config.chat.irc).toMatchObject({ nick: "fern", host: "irc.example.org" })
  expect(readConfig(file).config.chat.discord.enabled).toBe(false)
  setConfigValue(file, "chat.discord.enabled", "true")
  expect(readFileSync(file, "utf8")).toBe(
    '# mine\n[chat.irc]\nnick = "fern"\nhost = "irc.example.org"\n\n[chat.discord]\nenabled = true\n',
  )
  const inline = fileWith("chat = { irc = { port = 7000 } }\n")
  setConfigValue(inline, "chat.discord.enabled", "true")
  expect(readConfig(inline).config.chat).toMatchObject({ irc: { port: 7000 }, discord: { enabled: true } })
  expect(() => setConfigValue(file, "chat.irc.port", "many")).toThrow(
    /^chat\.irc\.port must be a whole number/,
  )
  expect(readConfig(fileWith('[chat.irc]\nnik = "fern"\n')).faults[0]?.message).toContain("chat.irc.nick")
})
