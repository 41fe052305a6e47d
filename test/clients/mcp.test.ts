import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { eras, loopbackOf } from "../../testkit/program/mcp.ts"
import { createPlainInstallation, ending, type Installation } from "../../testkit/program/program.ts"
import { serveWithToken } from "./token-proxy.ts"

const root = join(import.meta.dirname, "../..")
/** Where scripts/install-clients puts these programs. */
const programs = join(root, "node_modules/.cache/mcp-clients/node_modules/.bin")
const areThere = existsSync(join(programs, "conformance"))
const describeWithPrograms = describe.skipIf(!areThere && process.env.CI !== "true")

/** Runs one of them on our Node, in a home of its own. */
function run(program: string, args: readonly string[]) {
  const home = throwawayFolder()
  const path = `${join(root, "node_modules/.bin")}:${process.env.PATH}`
  const child = spawn(join(programs, program), args, {
    env: { ...process.env, HOME: home, PATH: path },
    cwd: home,
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  child.stdin.end()
  return ending(child)
}

function install(): Installation {
  const installation = createPlainInstallation()
  const config = '[embedding]\nmodel = "none"\n[api]\nport = 0\n'
  writeFileSync(join(installation.home, "config.toml"), config, { mode: 0o600 })
  return installation
}

describeWithPrograms("The MCP conformance suite", () => {
  test.each(Object.keys(eras))(
    "finds what the requirements of %s ask of a server like ours",
    async (revision) => {
      const installation = install()
      await installation.daemon()
      const { url, token } = await loopbackOf(installation)
      const { code, stdout, stderr } = await run("conformance", [
        "server",
        ...["--url", `${await serveWithToken(url, token)}/mcp`],
        ...["--requirements", revision],
        ...["--expected-failures", join(import.meta.dirname, `mcp/baseline-${revision}.yml`)],
      ])
      expect(code, stdout + stderr).toBe(0)
      for (const name of ["tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"])
        expect(stdout).toMatch(new RegExp(`✓ ${name}: [1-9]\\d* passed, 0 failed`))
    },
    120_000,
  )
})

describeWithPrograms("The MCP inspector", () => {
  const reverie = join(root, "bin/reverie")
  const inspect = async (target: readonly string[], args: readonly string[]) => {
    const { code, stdout, stderr } = await run("mcp-inspector", ["--cli", ...target, ...args])
    expect(code, stdout + stderr).toBe(0)
    return JSON.parse(stdout)
  }

  test("lists and calls our tools over standard input", async () => {
    const { home } = install()
    const target = [reverie, "mcp", "-e", `REVERIE_HOME=${home}`]
    const { tools } = await inspect(target, ["--method", "tools/list", "--strict"])
    expect(tools).toHaveLength(14)
    const call = (name: string, ...args: string[]) =>
      inspect(target, [
        "--method",
        "tools/call",
        "--tool-name",
        name,
        ...args.flatMap((arg) => ["--tool-arg", arg]),
      ])
    expect(
      await call("memory_remember", "content=The kiln is fired on Fridays", `project=${home}`),
    ).toMatchObject({
      structuredContent: { outcome: "saved" },
    })
    expect(await call("memory_search", "query=kiln", "limit=3", `project=${home}`)).toMatchObject({
      structuredContent: { results: [{ content: "The kiln is fired on Fridays" }] },
    })
  })

  test("lists and calls our tools over HTTP", async () => {
    const installation = install()
    await installation.daemon()
    const { url, token } = await loopbackOf(installation)
    const target = [`${url}/mcp`, "--header", `Authorization: Bearer ${token}`]
    expect((await inspect(target, ["--method", "tools/list", "--strict"])).tools).toHaveLength(14)
    const status = await inspect(target, ["--method", "tools/call", "--tool-name", "ambient_status"])
    expect(status).toMatchObject({ structuredContent: { running: true } })
    expect((await inspect(target, ["--method", "prompts/list"])).prompts).toMatchObject([
      { name: "recall" },
      { name: "ambient" },
      { name: "inbox" },
      { name: "consolidate" },
    ])
  })
})
