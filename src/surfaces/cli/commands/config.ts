import { existsSync } from "node:fs"
import type { Command } from "commander"
import { isDaemonUp } from "../../../api/socket-fetch.ts"
import { exitCodes } from "../../../base/errors.ts"
import { withoutPassword } from "../../../base/text/text.ts"
import type { CliNeeds } from "../needs.ts"
import { table } from "../output.ts"
import { folder } from "../scope-options.ts"

/** `reverie config …`. The schema is loaded only when it is needed. */
export function configCommand(program: Command, needs: CliNeeds): void {
  const config = program.command("config").description("read and change the configuration")
  config
    .command("get")
    .description("show one setting, or all")
    .argument("[key]")
    .option("--reveal", "show a URL with its password")
    .option("--json", "print JSON")
    .action((key: string | undefined, options: GetOptions) => getConfig(needs, key, options))
  config
    .command("explain")
    .description("explain a setting: what it does, its values, its current value")
    .argument("<key>")
    .option("--json", "print JSON")
    .action((key: string, options: { json?: boolean }) => explainKey(needs, key, options))
  config
    .command("set")
    .description("change one setting in the global file")
    .argument("<key>")
    .argument("<value>")
    .action((key: string, value: string) => setConfig(needs, key, value))
  config
    .command("path")
    .description("show where the global file is")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) => {
      const path = needs.paths.configFile
      if (options.json) needs.output.json({ schemaVersion: 1, path })
      else needs.output.data(path)
    })
  config
    .command("validate")
    .description("check the global file, or also a project's")
    .option("--project <dir>", "check this project's .reverie/config.toml too")
    .option("--json", "print JSON")
    .action((options: { project?: string; json?: boolean }) => validateConfig(needs, options))
  config
    .command("schema")
    .description("print the JSON Schema, for editors")
    .action(async () => {
      const { jsonSchema } = await import("../../../config/schema.ts")
      needs.output.data(JSON.stringify(jsonSchema(), null, 2))
    })
}

interface GetOptions {
  reveal?: boolean
  json?: boolean
}

async function getConfig(needs: CliNeeds, key: string | undefined, options: GetOptions): Promise<void> {
  const { reveal = false, json = false } = options
  const { loadConfig, keyInfo } = await import("../../../config/load.ts")
  const { allKeys, valueAt } = await import("../../../config/schema.ts")
  const config = loadConfig(needs.env, needs.paths)
  if (!reveal) config.storage.url = withoutPassword(config.storage.url)
  if (key === undefined) {
    if (json) return needs.output.json({ schemaVersion: 1, ...config })
    const rows = allKeys().map(({ name }) => [name, JSON.stringify(valueAt(config, name))])
    return needs.output.data(table(rows, needs.output.width))
  }
  if (keyInfo(key) === undefined) {
    const { unknownKey } = await import("../../../config/edit.ts")
    throw unknownKey(key)
  }
  const value = valueAt(config, key)
  if (json) return needs.output.json({ schemaVersion: 1, key, value })
  needs.output.data(typeof value === "string" ? value : JSON.stringify(value))
}

async function explainKey(needs: CliNeeds, name: string, options: { json?: boolean }): Promise<void> {
  const { keyInfo, loadConfig } = await import("../../../config/load.ts")
  const { unknownKey } = await import("../../../config/edit.ts")
  const { projectRules } = await import("../../../config/key.ts")
  const { valueAt } = await import("../../../config/schema.ts")
  const key = keyInfo(name)
  if (key === undefined) throw unknownKey(name)
  const { help, expects, fallback, tighten } = key
  const found = valueAt(loadConfig(needs.env, needs.paths), name)
  const value = typeof found === "string" ? withoutPassword(found) : found
  const project = tighten === undefined ? "A project cannot set it." : projectRules[tighten]
  const answer = { key: name, value, default: fallback, help, expects, project }
  if (options.json) return needs.output.json({ schemaVersion: 1, ...answer })
  const now = `It is ${JSON.stringify(value)}; the default is ${JSON.stringify(fallback)}.`
  needs.output.data([help, `It must be ${expects}.`, now, project].join("\n"))
}

async function setConfig(needs: CliNeeds, key: string, value: string): Promise<void> {
  const { setConfigValue } = await import("../../../config/edit.ts")
  setConfigValue(needs.paths.configFile, key, value)
  needs.output.say(`Set ${key} in ${needs.paths.configFile}.`)
  if (await isDaemonUp(needs.paths.socket)) needs.output.say("The daemon uses it after `reverie restart`.")
}

async function validateConfig(needs: CliNeeds, options: { project?: string; json?: boolean }): Promise<void> {
  const root = folder(needs, options.project)
  const load = await import("../../../config/load.ts")
  const { problemWithRemote } = await import("../../../config/remote-embedder.ts")
  const { config, faults } = load.readConfig(needs.paths.configFile)
  const files = [needs.paths.configFile]
  const problem = problemWithRemote(config.embedding)
  if (problem) faults.push({ file: needs.paths.configFile, line: undefined, ...problem })
  if (root !== undefined) {
    files.push(load.projectConfigFile(root))
    faults.push(...(await load.readProjectConfig(config, root)).faults)
  }
  if (faults.length > 0) needs.setExitCode(exitCodes.failed)
  if (options.json) return needs.output.json({ schemaVersion: 1, files, faults })
  for (const fault of faults) needs.output.say(load.faultText(fault))
  if (faults.length > 0) return
  for (const file of files)
    needs.output.say(existsSync(file) ? `${file} is fine.` : `${file} does not exist; the defaults apply.`)
}
