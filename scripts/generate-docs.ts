import { readFileSync, writeFileSync } from "node:fs"
import { allKeys, jsonSchema, type KeyInfo } from "../src/config/schema.ts"

/** The documents that are made from code, and never edited by hand. */
const documents: Record<string, () => string> = {
  "docs/configuration.md": configurationReference,
  "docs/config.schema.json": () => `${JSON.stringify(jsonSchema(), null, 2)}\n`,
}

function configurationReference(): string {
  const tables = [...new Set(allKeys().map((key) => key.table))]
  return `<!-- Made by \`npm run docs\` from src/config/schema.ts. Do not edit. -->
# Configuration

Reverie works without any. The global file is \`~/.config/reverie/config.toml\` (\`reverie config path\` shows where it
is for you); \`reverie config set KEY VALUE\` changes it and keeps your comments, \`reverie config validate\` looks for
mistakes. A project may have its own \`.reverie/config.toml\`, which may only tighten: the keys it may set say so below.

What holds, strongest first: command-line flags, environment, project file (tightening only), global file, default.

| environment variable | meaning |
|---|---|
| \`REVERIE_HOME\` | puts config, data, state and socket under one folder |
| \`REVERIE_DATABASE_URL\` | wins over \`storage.url\` |
| \`XDG_CONFIG_HOME\`, \`XDG_DATA_HOME\`, \`XDG_STATE_HOME\`, \`XDG_RUNTIME_DIR\` | used as usual when \`REVERIE_HOME\` is not set |
| \`NO_COLOR\` | no colours |

Editors that know TOML schemas complete and check the file with this as its first line (the schema is also printed by
\`reverie config schema\`):

\`\`\`toml
#:schema ./config.schema.json
\`\`\`
${tables.map(section).join("")}`
}

function section(table: string): string {
  const keys = allKeys().filter((key) => key.table === table)
  return `\n## [${table}]\n${keys.map(entry).join("")}`
}

function entry(key: KeyInfo): string {
  const project = {
    off: "A project may switch it off.",
    lower: "A project may lower it.",
    none: "A project cannot set it.",
  }[key.tighten ?? "none"]
  return `
### ${key.name}
${key.help}

Must be ${key.expects}. Default: \`${JSON.stringify(key.fallback)}\`. ${project}
`
}

const isCheck = process.argv.includes("--check")
for (const [file, make] of Object.entries(documents)) {
  const text = make()
  if (!isCheck) writeFileSync(file, text)
  else if (readFileSync(file, "utf8") !== text) {
    console.log(`${file} is out of date; run \`npm run docs\`.`)
    process.exitCode = 1
  }
}
