import { entriesOf, parsedJson } from "./manifest-forms.ts"

/** The pattern of a library and its exact version in each lock file. */
const forms: Readonly<Record<string, RegExp>> = {
  "pnpm-lock.yaml": /^\s{2,}['"]?\/?((?:@[\w.-]+\/)?[\w.-]+)[@/](\d[\w.+-]*)(?:\([^\n]*)?['"]?:/gm,
  "yarn.lock": /^"?((?:@[\w.-]+\/)?[\w.-]+)@[^\n]*:\n\s+version:?\s+"?(\d[\w.+-]*)/gm,
  "Gemfile.lock": /^ {4}([\w-]+) \((\d[\w.]*)/gm,
  "composer.lock": /"name":\s*"([^"]+)",\s*"version":\s*"v?(\d[^"]*)"/g,
  "Cargo.lock": /^name = "([^"]+)"\nversion = "(\d[^"]*)"/gm,
  "poetry.lock": /^name = "([^"]+)"\nversion = "(\d[^"]*)"/gm,
  "uv.lock": /^name = "([^"]+)"\nversion = "(\d[^"]*)"/gm,
}

export const lockNames: readonly string[] = [
  ...Object.keys(forms),
  "package-lock.json",
  "npm-shrinkwrap.json",
]

/** Reads the exact versions in a lock file. */
export function readLock(name: string, text: string, lock: (name: string, version: string) => void): void {
  const form = forms[name]
  if (form === undefined) readNpmLock(text, lock)
  else for (const [, own = "", version = ""] of text.matchAll(form)) lock(own, version)
}

function readNpmLock(text: string, lock: (name: string, version: string) => void): void {
  const packages = new Map(entriesOf(parsedJson(text))).get("packages")
  for (const [path, entry] of entriesOf(packages)) {
    // A nested library belongs to another library, not to the project.
    const [before = "", name, ...deeper] = path.split("node_modules/")
    const version = new Map(entriesOf(entry)).get("version")
    if (name && deeper.length === 0 && before !== path && typeof version === "string") lock(name, version)
  }
}
