import { isDeepStrictEqual } from "node:util"
import { valueAt } from "../../../config/schema.ts"
import { tomlValues } from "../../../config/toml.ts"
import type { mcpServer } from "../connectable.ts"
import { hookProgramIn } from "../hook-command.ts"
import type { WantedHooks } from "./json-hooks.ts"
import { programsIn } from "./json-server.ts"
import type { SettingsPart } from "./settings-file.ts"
import { appendTables, removeTables, tomlText } from "./toml-tables.ts"

/** Our hooks as tables of Codex's config.toml. */
export function tomlHooks(wanted: WantedHooks): SettingsPart {
  const tables = wanted.flatMap(({ event, handler }) =>
    handler.type === "command" ? [hookTables(event, handler.command, handler.timeout)] : [],
  )
  const commands = wanted.map(({ handler }) => (handler.type === "command" ? handler.command : ""))
  return {
    name: "hook",
    add: (text) =>
      isDeepStrictEqual(commandsIn(text), commands)
        ? text
        : appendTables(removeHooks(text), tables.join("\n")),
    remove: removeHooks,
    find: (text) => commandsIn(text).flatMap((command) => hookProgramIn(command) ?? []),
    missing(text) {
      const there = commandsIn(text)
      return there.length === 0
        ? []
        : wanted.filter((_, index) => !there.includes(commands[index] ?? "")).map(({ event }) => event)
    },
  }
}

function hookTables(event: string, command: string, timeout: number): string {
  const handler = `type = "command"\ncommand = ${tomlText(command)}\ntimeout = ${timeout}\n`
  return `[[hooks.${event}]]\n\n[[hooks.${event}.hooks]]\n${handler}`
}

function commandsIn(text: string): string[] {
  const commands = [...text.matchAll(/^command = (".*")$/gm)].flatMap(([, quoted]) => textIn(quoted ?? ""))
  return commands.filter((command) => hookProgramIn(command) !== undefined)
}

function textIn(quoted: string): string[] {
  const text = tomlValues(`text = ${quoted}`)?.text
  return typeof text === "string" ? [text] : []
}

function removeHooks(text: string): string {
  const isOurs = (body: string) => commandsIn(body).length > 0
  // The empty table above ours opens its group.
  return removeTables(
    text,
    ([first, ...rest], body, next) =>
      first === "hooks" && rest.length > 0 && (isOurs(body) || (body === "" && isOurs(next))),
  )
}

const serverTable = "mcp_servers.reverie"

/** Our MCP server as a table of Codex's config.toml. */
export function tomlServer({ command, args, env }: ReturnType<typeof mcpServer>): SettingsPart {
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${tomlText(value)}`)
  const lines = [
    `[${serverTable}]`,
    `command = ${tomlText(command)}`,
    `args = [${args.map(tomlText).join(", ")}]`,
    ...(variables.length > 0 ? [`env = { ${variables.join(", ")} }`] : []),
  ]
  const table = `${lines.join("\n")}\n`
  const remove = (text: string) => removeTables(text, (name) => name.slice(0, 2).join(".") === serverTable)
  return {
    name: "MCP server",
    isServer: true,
    add: (text) => (text.includes(table) ? text : appendTables(remove(text), table)),
    remove,
    find: (text) => programsIn(serverIn(text)),
  }
}

function serverIn(text: string): unknown {
  const values = tomlValues(text)
  return values && valueAt(values, serverTable)
}
