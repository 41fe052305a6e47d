// Scripts without spaces, whose words need a segmenter.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
const word = /\p{L}[\p{L}\p{M}\p{N}]*(?:[-_.'’+#][\p{L}\p{N}+#]+)*/gu

/** The words of a text that can name its topic, each once, in lower case. */
export function topicWords(text: string): Set<string> {
  const all = unspaced.test(text) ? segmented(text) : (text.match(word) ?? [])
  const lower = all.map((found) => found.toLowerCase().replace(/['’]s$/, ""))
  return new Set(lower.filter((found) => isTopicWord(found)))
}

function segmented(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" })
  return [...segmenter.segment(text)]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment)
}

function isTopicWord(found: string): boolean {
  const least = unspaced.test(found) ? 2 : 3
  return found.length >= least && !stopWords.has(found) && /\p{L}/u.test(found)
}

// Words that are common in notes on every topic.
const stopWords = new Set(
  (
    "the and for are was were been being has have had does did not but with without from into onto over under " +
    "about after before again also always never often sometimes because this that these those there here then " +
    "than when where which while who whom whose what why how all any both each every few more most much many " +
    "some such only own same too very can cannot could should would may might must shall will just now out off " +
    "you your yours they them their theirs its his her hers him she our ours one two three other another " +
    "use uses used using user users want wants wanted like likes make makes made making get gets got need needs " +
    "needed keep keeps kept let lets set sets put via per instead rather even still yet already else between " +
    "during until since upon within across against toward towards around through down up new old first last " +
    "don't doesn't didn't isn't aren't wasn't won't can't couldn't shouldn't wouldn't it's i'm i've we're we've " +
    "say says said see seen way thing things something anything nothing lot well good better best http https www"
  ).split(" "),
)
