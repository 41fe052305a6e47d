import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { ModelServer } from "../../testkit/model-server/model-server.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import type { StepCall } from "../../testkit/model-server/step.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, ending } from "../../testkit/program/program.ts"
import { clientsFolder, describeWithClients } from "./bridge-world.ts"

const reverie = join(import.meta.dirname, "../../bin/reverie")
const question = "When is the kiln fired?"

/** A user's agent, with our server connected as docs/mcp.md says. */
interface Agent {
  program: string
  args(server: ModelServer, reverieHome: string): string[]
  env(server: ModelServer): Record<string, string>
  /** How its model asks for a memory. */
  call(id: string): StepCall
}

const claude: Agent = {
  program: "claude",
  args(_, home) {
    const server = { command: reverie, args: ["mcp"], env: { REVERIE_HOME: home } }
    const config = JSON.stringify({ mcpServers: { reverie: server } })
    return ["-p", question, "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__reverie"]
  },
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-not-a-real-one",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
  call: () => ({ name: "mcp__reverie__memory_search", input: { query: "kiln" } }),
}

const codex: Agent = {
  program: "codex",
  args({ url }, home) {
    const settings = [
      `model_providers.scripted={name="scripted",base_url="${url}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}`,
      'model_provider="scripted"',
      `mcp_servers.reverie.command=${JSON.stringify(reverie)}`,
      'mcp_servers.reverie.args=["mcp"]',
      `mcp_servers.reverie.env={REVERIE_HOME=${JSON.stringify(home)}}`,
    ]
    const flags = settings.flatMap((setting) => ["-c", setting])
    return ["exec", "--skip-git-repo-check", "-m", "gpt-5.5", ...flags, question]
  },
  env: () => ({ SCRIPTED_KEY: "not-a-real-one" }),
  // It searches for tools before it offers them; resources it offers at once.
  call: (id) => ({ name: "read_mcp_resource", input: { server: "reverie", uri: `memory://item/${id}` } }),
}

describeWithClients("A real agent with our MCP server", () => {
  test.each([claude, codex])("gets a memory in its fence: $program", async ({ program, args, env, call }) => {
    const installation = createPlainInstallation()
    const { id } = await installation.json<{ id: string }>("memory", "add", "The kiln is fired on Fridays")
    const server = await serveModel()
    server.next({ calls: [call(id)] })
    server.next({ text: "On Fridays." })
    const child = spawn(join(clientsFolder, program), args(server, installation.home), {
      cwd: throwawayFolder(),
      env: { PATH: process.env.PATH ?? "", HOME: throwawayFolder(), LANG: "C.UTF-8", ...env(server) },
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    child.stdin.end()
    const { code, stdout, stderr } = await ending(child)
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain("On Fridays.")
    const said = server.requests.at(-1)?.asked.messages.at(-1)
    const [result] = said?.role === "tool" ? said.results : []
    expect(result?.text).toMatch(/<reverie-memory>.*The kiln is fired on Fridays.*<\/reverie-memory>/s)
  })
})
