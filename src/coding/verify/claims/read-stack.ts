import type { Clause } from "../../../language/read/clauses.ts"

/** A library, tool or language that a clause says the project uses. */
export interface Used {
  name: string
  /** As it is written, with where it stands in the clause. */
  version?: { text: string; from: number; to: number }
  /** Whether the clause says nothing else. */
  isBare: boolean
}

const subject =
  "(?:(?:currently|right now|today),?\\s+)?(?:(?:the|this|our|my)\\s+)?(?:whole\\s+)?(?:project|repo|repository|codebase|code base|app|application|package|library|service|monorepo|code|stack|tech stack|build|frontend|backend|front end|back end|web app|website|cli|tool|workspace|team|tests|test suite|we|it|everything)(?:'s)?"
const verb =
  "(?:(?:currently|still|now|only|always|all|mostly|mainly|primarily|both|also)\\s+)?(?:uses?|is using|are using|is on|are on|'re on|runs? on|runs? with|runs?|is built (?:with|on)|are built (?:with|on)|is pinned to|is locked to|pins|targets?|requires?|needs?|depends? on|relies on|rely on|is written (?:in|with)|are written (?:in|with)|stays? on|is at|sticks? (?:to|with)|builds? with|compiles? with|validates? with|tests? with)"
const asserted = new RegExp(
  `^\\W*(?:(?:${subject}\\s+)?(?:${verb}|(?:is|are) (?:configured|set up|written|developed|running) (?:with|on|in))|(?:the |our )?(?:tech )?stack(?: is|:))\\s+`,
  "i",
)
/** "Dates are handled with": whatever it is that is done so. */
const doneWith =
  /^\W*(?:[\w-]+\s+){1,4}?(?:(?:is|are)\s+(?:\w+ly\s+)?\w+(?:ed|ten|ne|de|nt|un|lt)\s+(?:with|by|using|through|via)|goe?s? through|runs? through|rel(?:y|ies) on|depends? on)\s+(?!the\b|a\b|an\b)/i
/** "calls use the node-fetch package". */
const namedPackage =
  /\buses?\s+(?:the\s+)?`?(@?[A-Za-z][\w@/.-]*)`?\s+(?:package|library|framework|sdk|crate|gem)\b/i
const imperative = /^\W*(?:always\s+|please\s+)?use\s+/i

const name =
  "`?(@?[A-Za-z][\\w@/+#.-]*?(?:\\s(?:Native|Router|Query|CSS|Testing Library|UI|ORM|Table|Hook Form))?)`?"
const version = "(?:\\s+|@)(?:version\\s+|v\\.?\\s?)?`?[~^=]?(\\d+(?:\\.\\d+){0,3})(?:\\.x)?`?"
/** After a version: its end, and nothing that makes a range or something else of it. */
const versionEnd =
  "(?![\\w+/%-]|\\.\\d|\\s*(?:or|and|to|through|up)\\s+(?:newer|later|higher|above|greater|up|\\d)|\\s*(?:-|–|\\+(?!\\s+[A-Za-z])|>=?|<|x\\b)|\\s+(?:support|api|apis|compat|migration|style|syntax|times|users|requests|minutes|seconds|workers|threads|cores|files|tests|nodes|instances|replicas|spaces|columns|characters|days|hours|mode|ways|of\\b))"
const withVersion = new RegExp(`^${name}${version}${versionEnd}`, "i")
const withoutVersion = new RegExp(`^${name}(?=$|[\\s,.;:)])`, "i")
const joint = /^\s*(?:,\s*(?:and\s+|with\s+)?|(?:and|with|plus|&|\+|on)\s+)(?:the\s+)?/i

const versionIs = new RegExp(
  `^\\W*(?:(?:the|our)\\s+)?${name}(?:'s)?\\s+(?:version\\s+)?(?:is|stays|remains)(?:\\s+(?:currently|still|now))?(?:\\s+(?:at|on|pinned to|locked to|pinned at))?${version}${versionEnd}`,
  "i",
)
const versionOf = new RegExp(
  `^\\W*(?:${subject}\\s+)?${verb}\\s+version\\s+\`?v?(\\d+(?:\\.\\d+){0,3})\`?\\s+of\\s+${name}(?=$|[\\s,.;)])`,
  "i",
)
const alone = new RegExp(`^\\W*${name}(?:\\s+version)?:?${version}${versionEnd}\\W*$`, "i")
const isUsed = new RegExp(`^\\W*${name}${version}\\s+is\\s+used\\b`, "i")
const isOur = new RegExp(
  `^\\W*${name}\\s+is\\s+(?:(?:our|the|this project's|the project's)\\s|(?:used|imported|installed|required)\\s+(?:for|to|as|in|by|throughout|everywhere)\\b)`,
  "i",
)

/** Words after "use" that begin something else than a name. */
const notNames = new Set(
  `a an the port step this that these those it them its our your my his her their one two three four five some any all every each no
  only more most less both either just same other different another new old small large long short plain strict named
  default single double both many much what which how when where for with in on at by of to as from and or not`.split(
    /\s+/,
  ),
)

/** What a clause says the project uses, with versions where it names them. */
export function stackIn({ text }: Clause): Used[] {
  const named = oneVersion(text) ?? oneName(text)
  if (named) return [named]
  const begin = asserted.exec(text) ?? imperative.exec(text)
  const listed = begin ? listFrom(text, begin[0].length) : []
  if (listed.length > 0) return listed
  const [, library] = namedPackage.exec(text) ?? []
  if (library !== undefined && isName(library)) return [{ name: library, isBare: false }]
  const done = doneWith.exec(text)
  // Of whom it is said is open: what has a version may be somebody else's.
  return done ? listFrom(text, done[0].length).filter(({ version }) => version === undefined) : []
}

function oneVersion(text: string): Used | undefined {
  const single = versionIs.exec(text) ?? alone.exec(text) ?? isUsed.exec(text)
  if (single && isName(single[1])) return withSpan(text, single, single[1] ?? "", single[2] ?? "")
  const of = versionOf.exec(text)
  return of && isName(of[2]) ? withSpan(text, of, of[2] ?? "", of[1] ?? "") : undefined
}

function oneName(text: string): Used | undefined {
  const [, ours] = isOur.exec(text) ?? []
  // "CartStore is the …" speaks of code.
  const isLibrary = ours !== undefined && isName(ours) && !/[a-z][A-Z]|_/.test(ours)
  return isLibrary ? { name: ours, isBare: false } : undefined
}

function isName(text: string | undefined): boolean {
  return text !== undefined && text.length > 1 && !notNames.has(text.toLowerCase())
}

function withSpan(text: string, match: RegExpExecArray, found: string, value: string): Used {
  const from = text.lastIndexOf(value, match.index + match[0].length)
  const at = from === -1 ? 0 : from
  const isBare = isNothing(text.slice(match.index + match[0].length))
  return { name: found, version: { text: value, from: at, to: at + value.length }, isBare }
}

function isNothing(text: string): boolean {
  return /^[\s.!)"'`]*$/.test(text)
}

/** "React 18, TypeScript 5.4 and Vite": one item after the other, until something else comes. */
function listFrom(text: string, start: number): Used[] {
  const found: Used[] = []
  let at = start
  for (;;) {
    const rest = text.slice(at)
    const versioned = withVersion.exec(rest)
    const match = versioned ?? withoutVersion.exec(rest)
    if (!match || !isName(match[1])) break
    const end = at + match[0].length
    const [, found1 = "", value] = match
    if (versioned && value !== undefined) {
      const from = at + match[0].lastIndexOf(value)
      found.push({ name: found1, version: { text: value, from, to: from + value.length }, isBare: false })
    } else found.push({ name: found1, isBare: false })
    const next = joint.exec(text.slice(end))
    at = end
    if (!next) break
    at = end + next[0].length
  }
  const [only] = found
  if (found.length === 1 && only?.version) return [{ ...only, isBare: isNothing(text.slice(at)) }]
  // "uses X Y": the name of something else.
  const after = text.slice(at)
  const last = found.at(-1)
  if (
    last &&
    last.version === undefined &&
    /^\s+(?!for\b|to\b|as\b|in\b|on\b|by\b|because\b|via\b|everywhere\b|here\b|from\b|with\b|and\b|since\b|when\b|whenever\b|throughout\b|across\b|\()\w/.test(
      after,
    )
  )
    return found.slice(0, -1)
  return found
}
