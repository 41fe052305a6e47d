import { hasOpenReference } from "../../../language/read/open-reference.ts"
import { inThirdPerson } from "../../../language/read/third-person.ts"
import { workVerbs } from "../../../language/words/word-lists.ts"
import { isName, passing } from "./exact-names.ts"
import type { Draft, Reading, Rule } from "./rule.ts"

/** The user's preferences, and how the team works. */
export function readPreference(reading: Reading): Draft | undefined {
  for (const rule of rules) {
    const draft = rule(reading)
    if (draft) return draft
  }
  return undefined
}

function draft(text: string, strong: boolean): Draft | undefined {
  if (hasOpenReference(text) || text.split(/\s+/).length < 3) return undefined
  return { content: inThirdPerson(text), type: "preference", confidence: 0.9, strong }
}

const rules: readonly Rule[] = [taste, distaste, wish, habit, choice, always]

/** "I prefer tabs over spaces", "I'm a fan of …", "my preference is …". */
function taste({ text }: Reading): Draft | undefined {
  const own = text
    .replace(/,? (?:can|could|would|will) you\b.*$/i, "")
    .replace(/,? so (?:please|can|could)\b.*$/i, "")
  const match =
    /^(?:i|we|our team|the team) (?:really |much |strongly |generally |usually |always )?(?:prefers?|favou?rs?) (?!the\b|you\b|if\b|when\b|not to\b|a\b|an\b|your\b|having this\b)(.+)$/i.exec(
      own,
    ) ??
    /^(?:i|we)(?:'d| would) rather (?:have|see|use|write|get) (?!the\b|this\b|that\b|it\b|you\b)(.+ than .+)$/i.exec(
      own,
    ) ??
    /^(?:i|we) (?:really )?like (?!the\b|it\b|that\b|this\b|your\b)(.+ (?:better|more) than .+)$/i.exec(
      own,
    ) ??
    /^(?:i'm|i am|we're|we are) (?:a )?(?:big |huge )?fans? of (?!the\b|this\b|that\b|it\b)(.+)$/i.exec(
      own,
    ) ??
    /^my preference is (?:for |to )?(.+)$/i.exec(own) ??
    /^we like our (.+)$/i.exec(own)
  return match ? draft(own, true) : undefined
}

/** "I don't like one-letter names": a kind of thing, not the thing at hand. */
function distaste({ text }: Reading): Draft | undefined {
  const thing =
    /^(?:i|we) (?:really |absolutely )?(?:don't like|do not like|hate|dislike|can't stand) (?!the\b|this\b|that\b|these\b|those\b|it\b|how\b|when\b|to\b|your\b|a\b|an\b|my\b|what\b)([\w-]+(?: [\w-]+){1,4})/i.exec(
      text,
    )?.[1]
  if (thing === undefined || !/s\b/.test(thing)) return undefined
  return draft(text, true)
}

/** "I want all dates in ISO 8601", "I don't want emojis in the docs". */
function wish({ text }: Reading): Draft | undefined {
  const isWish =
    /^(?:i|we) (?:don't|do not|never) (?:want|like) (?:any |to see )+(?!of\b)\w.* (?:in|on|for|at) (?:the |our |any )?\w/i.test(
      text,
    ) ||
    /^(?:i|we) (?:always|never) want\b/i.test(text) ||
    /^(?:i|we) (?:want|expect) (?:all|every) [\w-]+(?: [\w-]+){0,3} (?:in|to|with|as|under|at)\b/i.test(
      text,
    ) ||
    /^(?:i|we)(?:'d| would)? (?:like|want) you to (?:always|never)\b/i.test(text)
  if (!isWish) return undefined
  return draft(text.replace(/^i(?:'d| would) like you\b/i, "I want you"), true)
}

const ownThings =
  "editor|shell|os|operating system|timezone|time zone|keyboard|terminal|browser|pronouns|mother tongue|native language|working hours"

/** "I usually work in UTC+2", "we always squash", "my editor is neovim". */
function habit({ text }: Reading): Draft | undefined {
  const personal =
    /^(?:i) (?:usually|always|generally|normally|mostly|typically) (work|use|write|run|commit|deploy|review)\b/i
  const ours = /^(?:we|our team|the team) (?:always|usually|generally|normally|typically) ([a-z-]+)/i.exec(
    text,
  )
  if (personal.test(text)) return draft(text, true)
  if (new RegExp(String.raw`^my (?:${ownThings}) (?:is|are) \w`, "i").test(text) && !passing.test(text)) {
    return draft(text, true)
  }
  if (
    /^(?:i'm|i am|im) on (?:a |an )?(?:mac|macos|linux|windows|ubuntu|fedora|debian|arch|nixos|wsl)\b/i.test(
      text,
    )
  ) {
    return draft(text, true)
  }
  if (/^our [a-z -]{3,40} (?:always|never) [a-z]+\b/i.test(text) && !passing.test(text))
    return draft(text, false)
  const verb = ours?.[1]?.toLowerCase().replace(/s$/, "")
  return verb !== undefined && workVerbs.has(verb) ? draft(text, true) : undefined
}

/** "We use Vitest, not Jest": a choice between things, or a tool by its name. */
function choice({ text }: Reading): Draft | undefined {
  const chosen =
    /^(?:in (?:this|our) (?:repo|repository|project|codebase|team|monorepo|package|app),? )?(?:we|our team|the team) (?:all )?(?:use|uses|only use|write|stick to|stick with|follow|format|work with|go with) (.+)$/i.exec(
      text,
    )?.[1]
  const unused = /^we (?:don't|do not|no longer) use (.+)$/i.exec(text)?.[1]
  const what = chosen ?? unused
  if (what === undefined || /^(?:too|a lot|this|that|it|the same|them|these)\b/i.test(what)) return undefined
  const isContrast =
    /(?:,| and) not |\binstead of\b|\brather than\b|\bover\b|, no \b|, just \b|\bonly\b/i.test(what)
  const names = what
    .split(/\s+/)
    .slice(0, 6)
    .some((word) => isName(word))
  if (unused !== undefined) return names ? draft(text, true) : undefined
  const isRule = /^we (?:stick|follow)\b/i.test(text) && what.split(/\s+/).length > 1
  if (!isContrast && !names && !isRule) return undefined
  if (passing.test(what)) return undefined
  const made = draft(text, isContrast)
  const isTaste = isContrast || /^we (?:stick|follow|write)\b/i.test(text)
  return made && { ...made, type: isTaste ? "preference" : "fact" }
}

/** "Always run the type checker before committing." */
function always({ text }: Reading): Draft | undefined {
  const verb = /^(?:always|only ever|make sure (?:to|you) always) ([a-z-]+)\b/i.exec(text)?.[1]?.toLowerCase()
  if (verb === undefined || !workVerbs.has(verb)) return undefined
  return draft(text, true)
}
