import { parseJson } from "../../../base/text/json.ts"
import { parseToml } from "../../../config/toml.ts"

/** Who is told what a manifest says. */
interface Told {
  declare(name: string, version: string): void
  script(name: string): void
  target(name: string): void
  /** There may be more targets than can be read. */
  moreTargets(): void
}

type Read = (text: string, told: Told) => void

/** How each kind of manifest is read, by its name. A broken file says nothing. */
export const readForms: Readonly<Record<string, Read>> = {
  "package.json": readPackage,
  "composer.json": readComposer,
  "pyproject.toml": readPyproject,
  Pipfile: readPyproject,
  "requirements.txt": readRequirements,
  "requirements-dev.txt": readRequirements,
  "Cargo.toml": readCargo,
  "go.mod": readGoModule,
  Gemfile: readGemfile,
  ".nvmrc": readVersionOf("node"),
  ".node-version": readVersionOf("node"),
  ".python-version": readVersionOf("python"),
  ".ruby-version": readVersionOf("ruby"),
  "rust-toolchain": readVersionOf("rust"),
  "rust-toolchain.toml": readToolchain,
  ".tool-versions": readToolVersions,
  Makefile: readMakefile,
  makefile: readMakefile,
  GNUmakefile: readMakefile,
}

export const manifestNames: readonly string[] = Object.keys(readForms)

/** The entries of an object, none of anything else. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

/** What stands under these names, one in the other. */
function inside(value: unknown, ...names: string[]): unknown {
  let current = value
  for (const name of names) current = new Map(entriesOf(current)).get(name)
  return current
}

/** JSON as far as it is valid. */
export function parsedJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function parsedToml(text: string): unknown {
  const parsed = parseToml(text)
  return "file" in parsed ? parsed.file.values : undefined
}

function readPackage(text: string, { declare, script }: Told): void {
  const file = parsedJson(text)
  const fields = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "engines",
    "volta",
  ]
  for (const field of fields)
    for (const [name, version] of entriesOf(inside(file, field))) declare(name, String(version))
  const [, manager, version] = /^([a-z]+)@([\d.]+)/.exec(String(inside(file, "packageManager"))) ?? []
  if (manager && version) declare(manager, version)
  for (const [name] of entriesOf(inside(file, "scripts"))) script(name)
}

function readComposer(text: string, { declare }: Told): void {
  const file = parsedJson(text)
  for (const field of ["require", "require-dev"])
    for (const [name, version] of entriesOf(inside(file, field))) declare(name, String(version))
}

function readVersionOf(name: string): Read {
  return (text, { declare }) => {
    const [version] = /\d[\d.]*/.exec(text.trim().split("\n")[0] ?? "") ?? []
    if (version) declare(name, version)
  }
}

const toolNames: Record<string, string> = { nodejs: "node", golang: "go" }

function readToolVersions(text: string, { declare }: Told): void {
  for (const [, tool = "", version = ""] of text.matchAll(/^(\S+)\s+(\d[\d.]*)/gm))
    declare(toolNames[tool] ?? tool, version)
}

function readToolchain(text: string, { declare }: Told): void {
  const channel = inside(parsedToml(text), "toolchain", "channel")
  if (typeof channel === "string" && /^\d/.test(channel)) declare("rust", channel)
}

function readGoModule(text: string, { declare }: Told): void {
  const [, go] = /^go\s+(\d[\d.]*)/m.exec(text) ?? []
  if (go) declare("go", go)
  const lines = text.matchAll(/^\s*(?:require\s+)?([\w.-]+\.[a-z]+\/\S+)\s+v(\d[\w.-]*)/gm)
  for (const [, path = "", version = ""] of lines) {
    declare(path, version)
    // People name a module by its last part.
    const last = path
      .replace(/\/v\d+$/, "")
      .split("/")
      .at(-1)
    if (last) declare(last, version)
  }
}

function readGemfile(text: string, { declare }: Told): void {
  const lines = text.matchAll(/^\s*gem\s+["']([\w-]+)["'](?:,\s*["']([^"']+)["'])?/gm)
  for (const [, gem = "", version = "*"] of lines) declare(gem, version)
}

const requirement = /^\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*([=~<>!]=?[^#;]+)?/

function readRequirements(text: string, told: Told): void {
  for (const line of text.split("\n")) declareRequirement(line, told)
}

/** One library as Python's tools write it: name[extra]==1.2; condition. */
function declareRequirement(text: unknown, { declare }: Told): void {
  const [, name, version = "*"] = typeof text === "string" ? (requirement.exec(text) ?? []) : []
  if (name) declare(pythonName(name), version.trim())
}

/** Python's tools do not tell these apart. */
function pythonName(name: string): string {
  return name.toLowerCase().replaceAll(/[_.]+/g, "-")
}

function readPyproject(text: string, told: Told): void {
  const file = parsedToml(text)
  const python = inside(file, "project", "requires-python") ?? inside(file, "requires", "python_version")
  if (typeof python === "string") told.declare("python", python)
  const groups = [
    inside(file, "project", "dependencies"),
    ...entriesOf(inside(file, "project", "optional-dependencies")).map(([, list]) => list),
    ...entriesOf(inside(file, "dependency-groups")).map(([, list]) => list),
  ]
  for (const list of groups) if (Array.isArray(list)) for (const line of list) declareRequirement(line, told)
  const poetry = inside(file, "tool", "poetry")
  const tables = [
    inside(poetry, "dependencies"),
    inside(poetry, "dev-dependencies"),
    ...entriesOf(inside(poetry, "group")).map(([, group]) => inside(group, "dependencies")),
    inside(file, "packages"),
    inside(file, "dev-packages"),
  ]
  for (const table of tables)
    for (const [name, value] of entriesOf(table)) told.declare(pythonName(name), versionIn(value))
}

/** A version as a text, or in a table that has one. */
function versionIn(value: unknown): string {
  const version = typeof value === "string" ? value : inside(value, "version")
  return typeof version === "string" ? version : "*"
}

function readCargo(text: string, { declare }: Told): void {
  const file = parsedToml(text)
  for (const table of [file, inside(file, "workspace")]) {
    for (const field of ["dependencies", "dev-dependencies", "build-dependencies"])
      for (const [name, value] of entriesOf(inside(table, field))) {
        const version = versionIn(value)
        // Cargo reads a plain version as ^.
        declare(name, /^\d/.test(version) ? `^${version}` : version)
      }
  }
  const rust = inside(file, "package", "rust-version")
  if (typeof rust === "string") declare("rust", rust)
}

function readMakefile(text: string, { target, moreTargets }: Told): void {
  for (const [, names = ""] of text.matchAll(/^([A-Za-z0-9_.][\w./ -]*?)\s*::?(?![=:])/gm))
    for (const name of names.split(/\s+/)) target(name)
  if (/^-?s?include\s|^[^\t#\n]*%[^\t\n]*:|^\$[({][^)}\n]*[)}]\s*:/m.test(text)) moreTargets()
}
