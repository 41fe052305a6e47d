import { type Clause, clausesOf } from "../../../language/read/clauses.ts"
import type { Claim, Claims } from "./claim.ts"
import { scriptsIn, targetsIn } from "./read-commands.ts"
import { pathsIn } from "./read-paths.ts"
import { stackIn } from "./read-stack.ts"
import { symbolsIn } from "./read-symbols.ts"

/** Longer texts are stories, not facts. */
const longestText = 4000
const mostClaims = 20

/** Reads what a text says of the repository in a folder that can be looked up there. */
export function readClaims(content: string, root: string): Claims {
  const found: Claims = { claims: [], isPartial: false, isBareVersion: false }
  if (content.length > longestText) return found
  const clauses = clausesOf(content)
  for (const clause of clauses) {
    const claims = claimsIn(clause, root)
    if (clause.mood.isElsewhere || isRule(clause)) found.isPartial ||= claims.length > 0
    else found.claims.push(...claims)
  }
  const said = clauses.filter(({ text }) => /\w/.test(text))
  found.isBareVersion = said.length === 1 && found.claims.length === 1 && isBare(said[0])
  found.claims = found.claims.slice(0, mostClaims)
  return found
}

const absence =
  /\b(?:no longer|not|never|n['’]t|avoid|stop)\s+(?:\w+\s+)?(?:us(?:e|es|ing)|import\w*|depend\w*|need\w*|exist\w*|call\w*|rel(?:y|ies)|there|ha(?:ve|s))\b|n['’]t (?:use|import|depend|call|need)|\bthere (?:is|are) no\b|\binstead of\b|\brather than\b|^\W*avoid\b/i

/** It forbids to do something with a thing, which says nothing of whether the thing is there. */
function isRule({ words, mood }: Clause): boolean {
  return mood.isDenied && !absence.test(words)
}

function isBare(clause: Clause | undefined): boolean {
  const [only, ...more] = clause ? stackIn(clause) : []
  return only?.isBare === true && more.length === 0
}

function claimsIn(clause: Clause, root: string): Claim[] {
  const { isDenied, isConditional } = clause.mood
  const paths = pathsIn(clause, root)
  const scripts = scriptsIn(clause)
  // "Use createSession to …" speaks of code.
  const stack = isConditional ? [] : stackIn(clause).filter(({ name }) => !/^[a-z]+[A-Z]|_/.test(name))
  const names = new Set(stack.map(({ name }) => name))
  return [
    ...paths.map((path): Claim => ({ kind: "path", path, isDenied })),
    ...scripts.map((name): Claim => ({ kind: "script", name, isDenied })),
    ...targetsIn(clause).map((name): Claim => ({ kind: "target", name, isDenied })),
    ...symbolsIn(clause)
      .filter((name) => !names.has(name))
      .map((name): Claim => ({ kind: "symbol", name, isDenied })),
    ...stack
      .filter(({ name }) => !paths.includes(name) && (name.startsWith("@") || !name.includes("/")))
      .map(({ name, version }): Claim => {
        if (version === undefined) return { kind: "dependency", name, isDenied }
        const [from, to] = [clause.from + version.from, clause.from + version.to]
        return { kind: "version", name, version: version.text, from, to, isDenied }
      }),
    ...deniedNames(clause),
  ]
}

const notUsed =
  /(?:no longer (?:uses?|depends? on|needs?)|(?:do|does) not use|(?:don|doesn)['’]t use|never uses?|instead of(?: using)?|rather than|stop using|avoid(?: using)?)\s+`?(@?[A-Za-z][\w@/.-]*\w)`?(?=$|[\s,.;)])/i

/** "We no longer use moment": borne out by moment not being there. */
function deniedNames({ text, mood }: Clause): Claim[] {
  const [, name] = mood.isDenied ? (notUsed.exec(text) ?? []) : []
  if (name === undefined || /^(?:the|a|an|any|our|this|that|it)$/i.test(name) || name.includes("/")) return []
  return [{ kind: "dependency", name, isDenied: true }]
}
