/** A part of a text that says one thing, with where it stands. Code in backquotes is kept as it is. */
export interface Clause {
  text: string
  from: number
  /** The same, of the same length, with code in backquotes and paths blanked out: the words by which it is judged. */
  words: string
  /** Code in backquotes. */
  spans: { text: string; from: number }[]
  mood: Mood
}

/** How something is said. */
interface Mood {
  isDenied: boolean
  /** It tells what was, what is planned, what somebody thinks or what other places have; none of it is looked up. */
  isElsewhere: boolean
  /** It holds in some case only, or is a rule rather than a statement. */
  isConditional: boolean
}

const spanForm = /`{1,3}([^`\n]{1,200})`{1,3}/g

/** Splits a text where one statement ends and another begins. */
export function clausesOf(content: string): Clause[] {
  const spans = [...content.matchAll(spanForm)].map((match) => ({
    text: match[1] ?? "",
    from: match.index + match[0].indexOf(match[1] ?? ""),
    start: match.index,
    end: match.index + match[0].length,
  }))
  const blanked = blank(content, spans)
  const breaks = [...blanked.matchAll(breakForm)].map((match) => match.index + (match[1]?.length ?? 0))
  const ends = [...new Set([...breaks, content.length])].filter((at) => at > 0)
  let from = 0
  return ends.map((end) => {
    const start = from
    from = end
    const words = blanked.slice(start, end).replaceAll(pathForm, (path) => " ".repeat(path.length))
    const own = spans.filter((span) => span.start >= start && span.end <= end)
    return {
      text: content.slice(start, end),
      from: start,
      words,
      spans: own.map(({ text, from: at }) => ({ text, from: at - start })),
      mood: moodOf(words),
    }
  })
}

/** Ends of sentences, and the words before which something else begins. */
const breakForm =
  /([.!?]\s+|:\s+(?!\d)|[;\n]\s*|,?\s+(?=(?:but|instead of|rather than|not the|unlike|whereas|although|because|since|so that)\s)|,\s+(?=(?:not|never|and not|don't|do not)\s))/gi
const pathForm = /(?:[\w.@+~-]*\/)+[\w.@+*-]*/g

function blank(content: string, spans: readonly { start: number; end: number }[]): string {
  let text = content
  for (const { start, end } of spans)
    text = `${text.slice(0, start)}${"\u00b7".repeat(end - start)}${text.slice(end)}`
  return text
}

const denials =
  /\b(?:no longer|not|never|cannot|without|avoid|avoids|avoiding|nobody|none|neither|nor|stop using|instead of|rather than|unlike|forbidden|banned|no|gone|isn't|nothing)\b|n['’]t\b/i

/** What was, or what somebody did: it stays true whatever becomes of the code. */
const past =
  /\b(?:was|were|had|did|(?<!\b(?:is|are|be|gets?)\s)used to|previously|formerly|originally|earlier|historically|until|ago|yesterday|back then|in the past|at the time|at first|initially|last (?:week|month|year|sprint|night)|as of|any ?more|before we|before the (?:move|migration|rewrite|refactoring?)|has been|have been)\b/i
const deeds =
  /(?<!\b(?:is|are|be|being|get|gets|automatically|when|if|once|must be|should be|the|a|an|any)\s)\b(?:fixed|added|changed|moved|renamed|removed|deleted|migrated|replaced|refactored|rewrote|rewritten|created|introduced|switched|upgraded|downgraded|updated|bumped|dropped|broke|failed|crashed|found|discovered|noticed|decided|agreed|wrote|made|converted|split|merged|extracted|implemented|ported|reverted|landed|shipped|released|tried|ran|got|took|went|came|said|told|asked|reported|caused|happened|occurred|lived|gave|lost|spent|learned|retired|deprecated)\b/i
const ended = /\b(?:is|are|got|gets) (?:gone|removed|deleted|replaced|renamed|deprecated|retired|obsolete)\b/i

const planned =
  /\b(?:will|would|could|might|may|plan|plans|planned|planning|going to|propose[sd]?|consider(?:s|ing|ed)?|wants?|wish|hopes?|todo|let's|idea|maybe|perhaps|probably|possibly|someday|eventually|soon|next (?:week|month|year|sprint|step|quarter)|in the future|tomorrow|needs? to be|has to be|to be (?:added|created|written|renamed|moved|removed|replaced)|(?:upgrade|migrate|migration|switch|move) (?:from|to|away)|upgrading|migrating|switching|moving to|bump|evaluate|evaluating|evaluated|investigate|for example|for instance|such as|e\.g\.|example|hypothetical(?:ly)?|think|thinks|believe|believes|guess|assume|heard)\b/i

/** Somebody or something else than the project. */
const others =
  /\b(?:upstream|another|other (?:repo|repository|project|team|app)|in (?:the|our) [\w-]+ (?:repo|repository)|elsewhere in|(?:staging|production|prod|ci|build) (?:server|machine|host|runner|box|environment)|test (?:server|machine|host|box|environment)|in (?:production|staging|ci)|customers?|competitors?|vendors?|clients? (?:of|who|that)|their|his|her|laptop|lambda|docs say|documentation says|according to|compatible|compatibility|supports?|supported|tested (?:with|on|against)|works? with)\b/i

const conditional = /\b(?:if|when|whenever|once|unless|while|should|must|prefer|prefers|either|or)\b/i

function moodOf(words: string): Mood {
  const tests = [past, deeds, ended, planned, others]
  return {
    isDenied: denials.test(words),
    isElsewhere: tests.some((test) => test.test(words)) || words.includes("?"),
    isConditional: conditional.test(words),
  }
}
