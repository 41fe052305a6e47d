import { parseJson } from "../../../base/text/json.ts"
import { tomlValues } from "../../../config/toml.ts"

/** Receives what a manifest declares. */
interface ManifestSink {
  declare(name: string, version: string): void
  script(name: string): void
  target(name: string): void
  /** The manifest may have more targets than we can read. */
  moreTargets(): void
}

type ReadManifest = (text: string, sink: ManifestSink) => void

/** The reader of each manifest, by file name. A broken file declares nothing. */
export const readForms: Readonly<Record<string, ReadManifest>> = {
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

/** The value under these nested names. */
function inside(value: unknown, ...names: string[]): unknown {
  let current = value
  for (const name of names) current = new Map(entriesOf(current)).get(name)
  return current
}

/** The parsed JSON; undefined if it is invalid. */
export function parsedJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function readPackage(text: string, { declare, script }: ManifestSink): void {
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

function readComposer(text: string, { declare }: ManifestSink): void {
  const file = parsedJson(text)
  for (const field of ["require", "require-dev"])
    for (const [name, version] of entriesOf(inside(file, field))) declare(name, String(version))
}

function readVersionOf(name: string): ReadManifest {
  return (text, { declare }) => {
    const [version] = /\d[\d.]*/.exec(text.trim().split("\n")[0] ?? "") ?? []
    if (version) declare(name, version)
  }
}

const toolNames: Record<string, string> = { nodejs: "node", golang: "go" }

function readToolVersions(text: string, { declare }: ManifestSink): void {
  for (const [, tool = "", version = ""] of text.matchAll(/^(\S+)\s+(\d[\d.]*)/gm))
    declare(toolNames[tool] ?? tool, version)
}

function readToolchain(text: string, { declare }: ManifestSink): void {
  const channel = inside(tomlValues(text), "toolchain", "channel")
  if (typeof channel === "string" && /^\d/.test(channel)) declare("rust", channel)
}

function readGoModule(text: string, { declare }: ManifestSink): void {
  const [, go] = /^go\s+(\d[\d.]*)/m.exec(text) ?? []
  if (go) declare("go", go)
  const lines = text.matchAll(/^\s*(?:require\s+)?([\w.-]+\.[a-z]+\/\S+)\s+v(\d[\w.-]*)/gm)
  for (const [, path = "", version = ""] of lines) {
    declare(path, version)
    // Users call a module by the last part of its path.
    const last = path
      .replace(/\/v\d+$/, "")
      .split("/")
      .at(-1)
    if (last) declare(last, version)
  }
}

function readGemfile(text: string, { declare }: ManifestSink): void {
  const lines = text.matchAll(/^\s*gem\s+["']([\w-]+)["'](?:,\s*["']([^"']+)["'])?/gm)
  for (const [, gem = "", version = "*"] of lines) declare(gem, version)
}

const requirement = /^\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*([=~<>!]=?[^#;]+)?/

function readRequirements(text: string, sink: ManifestSink): void {
  for (const line of text.split("\n")) declareRequirement(line, sink)
}

/** A Python requirement: name[extra]==1.2; condition. */
function declareRequirement(text: unknown, { declare }: ManifestSink): void {
  const [, name, version = "*"] = typeof text === "string" ? (requirement.exec(text) ?? []) : []
  if (name) declare(pythonName(name), version.trim())
}

/** The normal form: Python's tools treat _, . and - alike. */
function pythonName(name: string): string {
  return name.toLowerCase().replaceAll(/[_.]+/g, "-")
}

function readPyproject(text: string, sink: ManifestSink): void {
  const file = tomlValues(text)
  const python = inside(file, "project", "requires-python") ?? inside(file, "requires", "python_version")
  if (typeof python === "string") sink.declare("python", python)
  const groups = [
    inside(file, "project", "dependencies"),
    ...entriesOf(inside(file, "project", "optional-dependencies")).map(([, list]) => list),
    ...entriesOf(inside(file, "dependency-groups")).map(([, list]) => list),
  ]
  for (const list of groups) if (Array.isArray(list)) for (const line of list) declareRequirement(line, sink)
  const poetry = inside(file, "tool", "poetry")
  const tables = [
    inside(poetry, "dependencies"),
    inside(poetry, "dev-dependencies"),
    ...entriesOf(inside(poetry, "group")).map(([, group]) => inside(group, "dependencies")),
    inside(file, "packages"),
    inside(file, "dev-packages"),
  ]
  for (const table of tables)
    for (const [name, value] of entriesOf(table)) sink.declare(pythonName(name), versionIn(value))
}

/** The version in a string or a table. */
function versionIn(value: unknown): string {
  const version = typeof value === "string" ? value : inside(value, "version")
  return typeof version === "string" ? version : "*"
}

function readCargo(text: string, { declare }: ManifestSink): void {
  const file = tomlValues(text)
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

function readMakefile(text: string, { target, moreTargets }: ManifestSink): void {
  for (const [, names = ""] of text.matchAll(/^([A-Za-z0-9_.][\w./ -]*?)\s*::?(?![=:])/gm))
    for (const name of names.split(/\s+/)) target(name)
  if (/^-?s?include\s|^[^\t#\n]*%[^\t\n]*:|^\$[({][^)}\n]*[)}]\s*:/m.test(text)) moreTargets()
}
