/** Whether a sentence cannot be a lasting statement of the user: a question, a guess, somebody else's words, and the like. */
export function mustSkip(text: string, end: string): boolean {
  const [first = ""] = text.split(",")
  return (
    end === "?" ||
    isQuestion.test(text) ||
    /,? (?:right|correct|isn't it|no|ok)\??$/i.test(text) ||
    addressesAnyAgent(text) ||
    /\b(?:they|their|he|she|his|her)\b/i.test(first) ||
    skipped.some((pattern) => pattern.test(text))
  )
}

/**
 * Whether a sentence addresses any agent that reads it. Users say "you" to their agent; texts for agents say "the
 * agent", "assistants", "AI tools".
 */
export function addressesAnyAgent(text: string): boolean {
  return toAnyAgent.test(text)
}

const toAnyAgent =
  /^(?:[\w -]{0,30}\b)?(?:(?:ai|coding|llm|automated|autonomous|language)[ -])?(?:agents?|assistants?|llms?|chat ?bots?|copilots?|ai(?:s| tools?| models?| systems?)?|language models?)\b[^.]{0,30}\b(?:must|should|shall|may|can|are|is|need|needs|have|has|always|never|please|will)\b|\bnote to (?:ai|agents?|assistants?|llms?)\b/i

const isQuestion =
  /^(?:(?:so|and|but|wait|hm+),? )?(?:do (?!not\b)|does|did|is|are|was|were|should|shall|could|can|can't|cannot|would|will|won't|isn't|aren't|don't (?:we|you|i)|doesn't|didn't|haven't|hasn't|have (?:we|you|i)|has|may|who|whose|what|what's|where|why|which|how (?:do|does|did|can|could|should|would|is|are|come|many|much|about|often|long)|when (?:do|does|did|is|are|will|should)|any(?:one|body)? )\b/i

const skipped: readonly RegExp[] = [
  // Not certain.
  /\b(?:i (?:think|guess|suppose|believe|assume|wonder|bet|doubt|was told|heard|read)|not sure|no idea|maybe|perhaps|probably|possibly|presumably|apparently|supposedly|seemingly|might|it seems|seems (?:to|like|that)|could be|as far as i (?:know|remember)|afaik|iirc|i tend to|we (?:were|are) thinking|at some point|some ?day|one day|in theory|theoretically|ideally|in principle|kind of|sort of|more or less|we (?:may|could|can|should probably|should maybe)|would be (?:nice|great|good|cool|better))\b/i,
  // Hypothetical.
  /^(?:if|suppose|supposing|imagine|assume|assuming|let's (?:say|assume|pretend|think)|say|what if|unless|once|wouldn't)\b|\b(?:if (?:we|i|you|it|the|they|this|that|only)|would have|would've|could have|were to)\b(?<!even if (?:we|i|you|it|the|they|this|that))/i,
  // Temporary.
  /\b(?:for now|for the (?:moment|time being|demo|test|meantime)|for today|(?<!starting )today|tonight|tomorrow|yesterday|right now|at the moment|at present|currently|temporar(?:y|ily)|workaround|just (?:this once|for (?:now|this|the))|this (?:time|once)|once only|only this|until|till (?:i|we)|while (?:i|we)|yet|in this (?:branch|pr|session|chat|conversation|case|test|commit|ticket|issue|task|function|file|class|component|run)|for this (?:task|pr|branch|session|demo|test|run|one|commit|ticket|issue|time|change|feature|file|case)|this (?:morning|afternoon|evening)|again and again|later(?! than)|for a (?:while|moment|bit|test)|still)\b/i,
  // Somebody else's words.
  /\b(?:(?<!i )(?:says?|said|tells?|told|claims?|claimed|recommends?|recommended|suggests?|suggested|thinks|insists|wrote|writes that)(?! i\b)|according to|people|others|everyone else|most (?:teams|people|devs|developers|projects)|(?:some|many|other|a lot of) (?:teams|people|projects|companies|devs|developers)|my (?:boss|colleague|manager|coworker|friend|last|old|former|previous)|the (?:reviewer|customer|client|intern|article|blog|author|vendor|consultant)|at my (?:last|old)|used to)\b/i,
  // Ironic.
  /\b(?:lol|lmao|haha+|rofl|sigh|yeah right|what could go wrong|of course not|as if|whatever|wtf|ffs)\b|^(?:oh (?:great|wow|sure)|sure,|wow,)|😂|🙄|\/s$/i,
  // A quotation.
  /["“”„][^"“”„]*\s[^"“”„]*\s[^"“”„]*\s[^"“”„]*["“”„]/,
]

const retraction =
  /^(?:no,? )?(?:wait,? )?(?:no,? )?(?:actually,? )?(?:scratch that|forget (?:that|it|what i (?:just )?said|about (?:that|it))|ignore (?:that|what i (?:just )?said|my last)|never ?mind|strike that|i take (?:that|it) back|disregard (?:that|my))/i

/** Whether a message or sentence retracts the one before. */
export function retracts(text: string): boolean {
  return retraction.test(text.trim())
}
