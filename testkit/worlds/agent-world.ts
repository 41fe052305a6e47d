import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "../../src/api/client.ts"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { systemRandom } from "../../src/base/random.ts"
import { throwawayFolder } from "../program/home.ts"
import { connectHere, connectHttp, connectStdio } from "../program/mcp.ts"
import { createPlainInstallation } from "../program/program.ts"

/** A daemon, the person's own client of it, a project, and agents that come over MCP. The settings are those of `memory`. */
export async function openAgentWorld(settings: Record<string, string> = {}) {
  const project = throwawayFolder()
  const installation = createPlainInstallation({ cwd: project })
  const others = Object.entries(settings).map(([key, value]) => `${key} = ${value}`)
  const config = `[embedding]\nmodel = "none"\n[api]\nport = 0\n[memory]\n${others.join("\n")}\n`
  writeFileSync(join(installation.home, "config.toml"), config, { mode: 0o600 })
  const daemon = await installation.daemonHere()
  const person = daemon.client
  return {
    installation,
    daemon,
    person,
    project,
    /** An agent that was started in the project and speaks to `reverie mcp`, which runs in this process. */
    stdio: (cwd = project) => connectHere(installation, { cwd }),
    /** The same with a process of its own. */
    stdioProcess: () => connectStdio(installation, { cwd: project }),
    /** An agent that comes over HTTP, for the project unless told otherwise. */
    http: (query = `?project=${encodeURIComponent(project)}`) => connectHttp(installation, { query }),
    /** Whoever speaks to the API itself and says that it is an agent. */
    agentsDoor: (session?: string) =>
      createClient({
        fetch: socketFetch(installation.paths.socket),
        random: systemRandom,
        actor: "mcp",
        session,
      }),
    /** The person tells something; gives its id. */
    async tell(content: string, more: object = {}) {
      const told = await person.add({ content, project, ...more })
      if (!("id" in told)) throw new Error(JSON.stringify(told))
      return told.id
    },
    /** What the person finds in the project. */
    async finds(query: string, where = project) {
      const { results } = await person.search({ query, project: where, gate: "false", limit: 50 })
      return results
    },
    /** The text that a new session of a project begins with. */
    async brief(where = project) {
      const id = `codex:${systemRandom.bytes(6).toString()}`
      const { text } = await person.recallStart({ session: { id, tool: "codex", project: where } })
      return text
    },
  }
}
