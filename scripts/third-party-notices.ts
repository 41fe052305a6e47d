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

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const texts = readdirSync(join(root, folder))
    .filter((file) => licenceFile.test(file))
    .map((file) => readFileSync(join(root, folder, file), "utf8").trim())
  const text = texts.length === 0 ? "" : `\n\n\`\`\`\n${texts.join("\n\n")}\n\`\`\``
  return `## ${name} ${version}\n\n${typeof license === "string" ? license : "see below"}${text}`
}

const packages = bundledPackages()
if (packages.length === 0) throw new Error("dist names no package; build it first")
const head = `# Third-party notices\n\nReverie's program holds parts of these ${packages.length} packages.`
writeFileSync(join(root, "THIRD-PARTY-NOTICES.md"), `${[head, ...packages.map(noticeOf)].join("\n\n")}\n`)
