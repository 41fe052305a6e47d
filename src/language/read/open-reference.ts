/** Nouns that "this" may refer to without context: the memory belongs to them. */
const ownThings =
  "repo|repository|project|codebase|code ?base|product|package|monorepo|app|application|service|library|workspace|machine|laptop|computer|team|company|organi[sz]ation|quarter|year|sprint"

const pointing = new RegExp(String.raw`\b(?:this|these|those)\b(?! (?:${ownThings})\b)`, "i")

/** References that only the conversation explains. */
const openReferences: readonly RegExp[] = [
  /^(?:it|that|these|those|they|there|here|he|she|one|both|either|neither|same|such)\b(?!-)/i,
  /\b(?:do|does|did|doing|done|like|use|using|used|want|prefer|of|with|for|on|in|into|to|about|against|forget|keep|make|with|from|by|is|are|was|than|see|need|call|get|have) (?:it|that|them|these|those|ones?)(?=\s*(?:$|[,.;:!)]|and\b|or\b|to\b|as\b|in\b|for\b|everywhere|here|again|anymore|instead|now|like))/i,
  /\bthat (?:page|file|function|test|bug|branch|endpoint|component|line|class|method|variable|change|approach|helper|version|pr|thing|one|way|part|case|case|module|button|table|report|script|commit|field|list|step)\b/i,
  /\b(?:the|your|my) (?:first|second|third|other|same|last|next|former|latter|previous|above|following|existing|new|old|current|simple|simpler) (?:one|ones|way|version|approach|option|file|files|function|test|name|helper|thing|solution|suggestion|variant)\b/i,
  /\b(?:your (?:suggestion|proposal|idea|approach|version|solution)|the other way|way round|like this|like that|this way|that way|as (?:above|below|before|usual|always)|option (?:\d|[a-z])\b|the (?:above|below))/i,
]

/** Whether a statement refers to something outside itself. Later clauses may refer to the first. */
export function hasOpenReference(text: string): boolean {
  const first = text.split(/,| because | since | so that |;|:| – | — /)[0] ?? text
  if (/\bit\b/i.test(first)) return true
  return pointing.test(first) || openReferences.some((pattern) => pattern.test(first))
}
