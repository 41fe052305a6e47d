import lists from "../../../assets/words/statement-words.json" with { type: "json" }

/** Words that carry no meaning of their own here: a difference in them is none. */
export const emptyWords = wordSet(lists.emptyWords)
/** Words that hold a sentence together: a difference in them keeps two statements apart, but opposes nothing. */
export const linkWords = wordSet(lists.linkWords)
/** Words that narrow a statement to a case: with one of them more on one side, both may be true. */
export const narrowingWords = wordSet(lists.narrowingWords)
/** Verbs whose objects add up: who knows one thing may know another. */
export const addingVerbs = wordSet(lists.addingVerbs)
/** Nouns that a number after them names rather than counts: "issue 12". */
export const numberedNouns = wordSet(lists.numberedNouns)
/** Words that put a statement into the past. */
export const pastWords = wordSet(lists.pastWords)
/** Words that only look inflected. */
export const notInflected = wordSet(lists.notInflected)

/** Nouns that have one value at a time: "the port is", "branch", "timezone:". */
export const attributes = wordSet(lists.attributes)
/** Verb and preposition before a slot that takes one value at a time. */
export const singleSlots = wordSet(lists.singleSlots)
/** Those of them that may also take several values: who asks Tom may ask Lisa too. */
export const addingSlots = wordSet(lists.addingSlots)
/** Verbs of liking, wanting and allowing: the opposite takes the statement back. */
export const attitudes = wordSet(lists.attitudes)
/** Tools of which a project uses one of a kind. */
export const toolsUsedAlone = wordSet(lists.toolsUsedAlone)
/** Verbs with a purpose after their object: "use X for Y". */
export const choosingVerbs = wordSet(lists.choosingVerbs)
/** Verbs that have one subject: "X owns billing". */
export const ownerVerbs = wordSet(lists.ownerVerbs)

/** What an agent does for its user: the verbs of rules about work, not of what a program does. */
export const workVerbs = wordSet(lists.workVerbs)
/** Names of tools and techniques that people write in lower case. */
export const toolNames = wordSet(lists.toolNames)
/** Nouns for what a project has for long: a statement about one of these lasts if its value is exact. */
export const stableNouns = wordSet(lists.stableNouns)

/** The words of a text, separated by spaces, as a set. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "))
}
