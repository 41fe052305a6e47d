import { exactThings } from "../../language/exact-things.ts"
import { termsOf } from "../../language/terms.ts"
import { stripFenced } from "../../llm/fence.ts"
import type { Turn } from "../../sessions/turn.ts"
import { ownWords } from "./own-words/own-words.ts"
import { isSteering } from "./own-words/steering.ts"

/** Of a claim's telling words, how many must stand in what it rests on. */
const enough = 0.6

/** What a turn can bear witness to: a person by their own words, others by all they said that we did not put there. */
function testimony({ role, text }: Turn): string {
  if (isSteering(text)) return ""
  return role === "user" ? ownWords(text) : stripFenced(text)
}

/** Whether turns say what a claim says: most of its telling words, and every exact thing in it. */
export function isBorneOutBy(content: string, turns: readonly Turn[]): boolean {
  const said = turns.map(testimony).join("\n")
  if (said.trim() === "") return false
  const terms = new Set(termsOf(content.replace(/\bthe user('s)?\b/gi, " ")))
  if (terms.size === 0) return false
  const known = new Set(termsOf(said))
  const met = [...terms].filter((term) => known.has(term)).length
  return (
    met / terms.size >= enough && exactThings(content).every((thing) => said.toLowerCase().includes(thing))
  )
}
