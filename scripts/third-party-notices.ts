// node scripts/third-party-notices.ts: writes THIRD-PARTY-NOTICES.md, the licences of all that the bundle in dist holds.
// `npm pack` runs it after the build.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")
const licenceFile = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i

/** The folders of packages that the bundler names before each part of its output. */
function bundledPackages(): string[] {
  const files = readdirSync(dist).filter((name) => /\.c?js$/.test(name))
  const found = files.flatMap((name) =>
    [...readFileSync(join(dist, name), "utf8").matchAll(/^\/\/(?:#region)? (node_modules\/\S+)/gm)].map(
      ([, path = ""]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? "",
    ),
  )
  return [...new Set(found)]
    .filter((folder) => folder !== "" && existsSync(join(root, folder, "package.json")))
    .sort()
}

/** What a package holds of others, where its files do not say so. */
const furtherNotices: Record<string, string> = {
  "onnxruntime-web":
    "The WebAssembly file holds parts of other projects; their licences stand in\n" +
    "https://github.com/microsoft/onnxruntime/blob/main/ThirdPartyNotices.txt",
}

interface PackageFacts {
  name: string
  version: string
  license?: unknown
  author?: string | { name?: string }
  repository?: string | { url?: string }
}

function noticeOf(folder: string): string {
  const facts: PackageFacts = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const { name, version, license } = facts
  const texts = readdirSync(join(root, folder))
    .filter((file) => licenceFile.test(file))
    .map((file) => readFileSync(join(root, folder, file), "utf8").trim())
  const text = [...(texts.length === 0 ? [withoutFile(facts)] : texts), furtherNotices[name] ?? ""]
    .filter((one) => one !== "")
    .join("\n\n")
  const fenced = text === "" ? "" : `\n\n\`\`\`\n${text}\n\`\`\``
  return `## ${name} ${version}\n\n${typeof license === "string" ? license : "see below"}${fenced}`
}

/** A package that brings no licence file: who wrote it, where it comes from, and the licence that it names. */
function withoutFile({ name, license, author, repository }: PackageFacts): string {
  const who = typeof author === "string" ? author : author?.name
  const where = typeof repository === "string" ? repository : repository?.url
  // What names another licence is found where it comes from.
  const same = license === "MIT" ? readFileSync(join(root, "scripts/licences/MIT.txt"), "utf8").trim() : ""
  return [`Copyright (c) the authors of ${name}${who ? `, ${who}` : ""}`, where ?? "", same]
    .filter((one) => one !== "")
    .join("\n\n")
}

/** Weights that come with the program. */
function noticeOfModel(name: string, license: string, use: string): string {
  const text = withoutFile({ name, version: "", license })
  return `## ${name}\n\n${license}; ${use}\n\n\`\`\`\n${text}\n\`\`\``
}

const packages = bundledPackages()
if (packages.length === 0) throw new Error("dist names no package; build it first")
const head = `# Third-party notices\n\nReverie's program holds parts of these ${packages.length} packages.`
const use = "one of the trained models in assets/judge was made from its weights"
const models = [
  noticeOfModel("thenlper/gte-small", "MIT", use),
  noticeOfModel("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "Apache-2.0", use),
]
writeFileSync(
  join(root, "THIRD-PARTY-NOTICES.md"),
  `${[head, ...packages.map(noticeOf), ...models].join("\n\n")}\n`,
)
