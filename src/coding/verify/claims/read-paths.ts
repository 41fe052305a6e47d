import { isAbsolute, relative, sep } from "node:path"
import type { Clause } from "../../../language/read/clauses.ts"

/** A path in running text: with a slash, or a file's name with an ending that files of code have. */
const bareForm =
  /(?<![\w@:/.~$<{*-])(?:\.{0,2}\/)?(?:[\w.@+-]+\/)+[\w.@+-]*|(?<![\w@:/.~$<{*-])[\w.+-]+\.\w{1,10}\b/g

const fileEndings =
  /\.(?:[cm]?[jt]sx?|json[c5]?|ya?ml|toml|py|rb|go|rs|java|kt|kts|swift|c|cc|cpp|h|hpp|cs|php|sql|sh|bash|zsh|fish|ps1|md|mdx|rst|txt|html?|css|scss|less|vue|svelte|astro|proto|graphql|gql|tf|tfvars|gradle|xml|ini|cfg|conf|lock|mk|nix|lua|ex|exs|erl|hs|ml|scala|clj|dart|zig|wat|prisma|j2|tmpl|csv|ipynb)$/i
const plainFiles =
  /^(?:Makefile|GNUmakefile|Dockerfile|Jenkinsfile|Procfile|Rakefile|Gemfile|Justfile|justfile|Vagrantfile|CODEOWNERS|\.nvmrc|\.gitignore|\.dockerignore|\.editorconfig|\.npmrc|\.node-version|\.tool-versions|\.python-version)$/

/** Names of things that look like files. */
const products =
  /^(?:node|next|vue|nuxt|three|d3|express|nest|react|angular|ember|backbone|socket|chart|discord|p5|alpine|solid|moment|day|asp|vb|ml)\.(?:js|io|net)$/i

/** The paths a clause names, relative to the project's folder. */
export function pathsIn(clause: Clause, root: string): string[] {
  const found = new Set<string>()
  // A project's own folder may have spaces in its name.
  const below = (text: string) => text.replaceAll(`${root}/`, "")
  const texts = [...clause.spans.map(({ text }) => below(text.trim())), ...bareTexts(clause, below)]
  for (const text of texts) {
    const path = cleanPath(text, root)
    if (path !== undefined && (path.includes("/") || isFileName(path))) found.add(path)
  }
  return [...found]
}

/** Running text, without what stands in backquotes and without addresses. */
function bareTexts({ text, spans }: Clause, below: (text: string) => string): string[] {
  let bare = text
  for (const span of spans)
    bare = `${bare.slice(0, span.from)}${" ".repeat(span.text.length)}${bare.slice(span.from + span.text.length)}`
  bare = below(bare).replaceAll(/\b[a-z][a-z+.-]{0,20}:\/\/\S+|[^\s@]{1,100}@[^\s@]{1,200}/gi, " ")
  const plain = bare.split(/[\s,;:()]+/).filter((word) => plainFiles.test(word))
  return [...plain, ...[...bare.matchAll(bareForm)].map((match) => match[0].replace(/[.,:;]+$/, ""))]
}

function isFileName(name: string): boolean {
  return (fileEndings.test(name) || plainFiles.test(name)) && !products.test(name) && !/^\d/.test(name)
}

const longestPath = 300
/** Spaces, patterns, calls, addresses and options are no paths that are looked for. */
const notPath = /[\s*?<>{}$|"'`,;()=&!\\[\]\p{Cc}]|:\/\/|^[@~-]|^\w+:/u

/** A path as git names it, or undefined for what is none, leads out of the project or stands for several. */
function cleanPath(text: string, root: string): string | undefined {
  const plain = text.replace(/(?::\d+){1,2}$/, "").replace(/#L\d+(?:-L?\d+)?$/, "")
  if (plain.length > longestPath || notPath.test(plain)) return undefined
  if (isAbsolute(plain)) return below(root, plain)
  const path = plain.replace(/^(?:\.\/)+/, "").replace(/\/+$/, plain.includes("/") ? "/" : "")
  const parts = path.split("/")
  if (parts.includes("..") || parts.includes(".") || parts.slice(0, -1).includes("")) return undefined
  if (path === "" || path === "/" || /^\d+(?:\/\d+)+\/?$/.test(path)) return undefined
  return path
}

function below(root: string, path: string): string | undefined {
  const inside = relative(root, path)
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    return undefined
  return inside.split(sep).join("/")
}
