import { readFileSync, writeFileSync } from "node:fs"
import { expect } from "vitest"
import { createPlainInstallation, type Ended, type Installation } from "./program.ts"

/** One sentence on stderr, nothing on stdout, this exit code. */
export function expectSentence(ended: Ended, code: number, sentence: RegExp): void {
  expect(ended.stderr).toMatch(sentence)
  expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1)
  expect(ended).toMatchObject({ code, stdout: "" })
}

/** The texts of all memories, in order of the alphabet. */
export async function contents({ json }: Installation): Promise<string[]> {
  const { memories } = await json<{ memories: { content: string }[] }>("memory", "list", "--limit", "1000")
  return memories.map(({ content }) => content).sort()
}

/** A daemon with a way to it that outlives its socket. */
export async function running(installation = createPlainInstallation({ cwd: "/" })) {
  writeFileSync(installation.paths.configFile, '[embedding]\nmodel = "none"\n[api]\nport = 0\n')
  const daemon = await installation.daemon()
  const { daemon: info } = await daemon.client.status()
  if (!info.running) throw new Error("not running")
  const { token } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
  const add = async (content: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const body = JSON.stringify({ content, verbatim: true })
    const asked = fetch(`${info.url}/v1/memories`, { method: "POST", headers, body })
    const answer = await asked.catch(() => undefined)
    if (answer?.ok) return "acknowledged"
    return (await answer?.text().catch(() => undefined)) ?? "hung up"
  }
  return { installation, daemon, add }
}

/** An installation with a snapshot of two memories, and its name. */
export async function withSnapshot() {
  const installation = createPlainInstallation()
  await installation.run("memory", "add", "the first of two", "--verbatim")
  await installation.run("memory", "add", "the other of both", "--verbatim")
  const name = (await installation.run("snapshot", "take")).stdout.trim()
  return { installation, name, file: installation.paths.databaseFile }
}

/** What that snapshot holds. */
export const both = ["the first of two", "the other of both"]
