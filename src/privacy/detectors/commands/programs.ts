import programTable from "../../../../assets/privacy/programs.json" with { type: "json" }

/** The format of an option's value, which decides which part of it is secret. */
export type ValueFormat =
  | "password"
  /** A password in the same word as its option: `-pPASSWORD`. */
  | "glued"
  /** `user:password` */
  | "login"
  /** `user%password` */
  | "percent"
  /** `user,password` */
  | "comma"
  /** `user/password@host` */
  | "slash"
  /** `name=secret` */
  | "pair"
  | "header"
  | "cookie"

/** Where a program takes secrets on its command line. */
export interface Program {
  /** Short options that take a value; needed to split bundles such as `-sSuuser:pw`. */
  valueOptions: string
  /** Options (short, long, Windows style) or keywords whose value is secret. */
  secretOptions: ReadonlyMap<string, ValueFormat>
  /** Prefixes of words whose remainder is secret: `pass:`, `/p:`. */
  secretPrefixes: readonly string[]
  /** Patterns of positional arguments, of which the last is secret: `auth ?`, `configure set *key ?`. */
  positions: readonly (readonly string[])[]
  /** At least one of these words must be among the arguments. */
  requires: readonly string[]
}

/** One entry of the asset: programs, by space-separated names, that take secrets the same way. */
interface ProgramEntry {
  names: string
  valueOptions?: string
  secretOptions?: Record<string, ValueFormat>
  secretPrefixes?: string[]
  positions?: string[]
  requires?: string[]
}

const programs = new Map<string, Program[]>()
for (const entry of programTable as ProgramEntry[]) {
  const { names, valueOptions = "", secretPrefixes = [], requires = [] } = entry
  const secretOptions = new Map(Object.entries(entry.secretOptions ?? {}))
  const positions = entry.positions?.map((pattern) => pattern.split(" ")) ?? []
  const program = { valueOptions, secretOptions, secretPrefixes, positions, requires }
  for (const name of names.split(" ")) programs.set(name, [...(programs.get(name) ?? []), program])
}

/** The entries for a program, named with or without its folder and `.exe`. Programs with several uses have several. */
export function programsNamed(word: string): readonly Program[] {
  const name = word.slice(word.lastIndexOf("/") + 1)
  return programs.get(name.endsWith(".exe") ? name.slice(0, -4) : name) ?? []
}
