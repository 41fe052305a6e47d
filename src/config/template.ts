import { wrapWords } from "../base/text/columns.ts"
import { allKeys, type KeyInfo } from "./schema.ts"

const width = 100

/** A configuration file to start with: every setting with its help, commented out at its default. */
export function configTemplate(): string {
  const keys = allKeys()
  const tables = [...new Set(keys.map(({ table }) => table))]
  const head = [
    "# Reverie's settings. All are optional; commented-out lines show the defaults.",
    "# `reverie config validate` checks this file. The daemon reads it when it starts.",
  ]
  const sections = tables.map((table) =>
    [`[${table}]`, ...keys.filter((key) => key.table === table).map(entryOf)].join("\n"),
  )
  return `${[head.join("\n"), ...sections].join("\n\n")}\n`
}

function entryOf({ name, table, help, fallback }: KeyInfo): string {
  const key = name.slice(table.length + 1)
  return [
    ...wrapWords(help, width).map((line) => `# ${line}`),
    `# ${key} = ${JSON.stringify(fallback)}`,
  ].join("\n")
}
