import type { Random } from "../../src/base/random.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { createTexts, drawBy, type MadeUpMemory, pick } from "./made-up-texts.ts"

/** A question as people ask it, and the `sourceId` of the memory that answers it, if one does. */
interface MadeUpQuestion {
  text: string
  answer: string | undefined
}

/** An endless supply of what a store of some age holds, the same for the same seed. */
export interface Talk {
  /** The next message of a conversation, or a single fact. */
  memory(): MadeUpMemory
  /** About what was said so far; every second one has an answer there. */
  question(): MadeUpQuestion
}

/** What is remembered of a message so that it can be asked about. */
interface Said {
  sourceId: string
  speaker: string
  words: readonly string[]
}

/** Of ten memories, this many are messages. */
const messagesInTen = 6
/** This share of the messages has a tag that many have, and one that few have. */
const taggedShare = 0.25
const sessionLengths = { from: 8, to: 40 }
const askable = 2000
const projectCount = 8
const firstDay = Date.UTC(2024, 0, 1)

/** Makes conversations of two people and, between them, facts like those of coding agents. */
export function createTalk(seed: number): Talk {
  const random = createSeededRandom(seed)
  const facts = createTexts(seed + 1)
  const word = drawBy(random, vocabulary, (rank) => 1 / (rank + 9))
  const said: Said[] = []
  let session = beginSession(random, 0)
  let sessions = 0
  let made = 0

  function message(): MadeUpMemory {
    if (session.index >= session.length) {
      sessions += 1
      session = beginSession(random, sessions)
    }
    const { name, people, project, topic } = session
    const messageIndex = session.index
    session.index += 1
    const speaker = people[messageIndex % 2] ?? people[0]
    const words = Array.from({ length: 3 + Math.floor(random.next() * 8) }, () =>
      random.next() < 0.2 ? pick(random, topic) : word(),
    )
    const sourceId = `${name}:${messageIndex}`
    note({ sourceId, speaker, words })
    return {
      content: `${speaker}: ${utterance(random, words)}`,
      ...(random.next() < taggedShare ? { tags: [pick(random, tags), pick(random, topic)] } : {}),
      source: "observed",
      sourceId,
      sessionId: name,
      messageIndex,
      createdAt: firstDay + made * 300_000,
      ...(project < projectCount ? { project: `project-${project}` } : {}),
    }
  }

  /** Keeps an even sample of everything said. */
  function note(one: Said): void {
    const place = said.length < askable ? said.length : Math.floor(random.next() * made)
    if (place < askable) said[place] = one
  }

  function question(): MadeUpQuestion {
    const one = said[Math.floor(random.next() * said.length)]
    const isAnswered = one !== undefined && random.next() < 0.5
    const count = 2 + Math.floor(random.next() * 3)
    const name = isAnswered ? one.speaker : pick(random, names)
    const words = isAnswered ? some(random, one.words, count) : Array.from({ length: count }, word)
    const text = pick(random, questions)
      .replace("@", name)
      .replace("*", words.map((each) => `the ${each}`).join(pick(random, [" and ", " with ", " near "])))
    return { text, answer: isAnswered ? one.sourceId : undefined }
  }

  return {
    memory() {
      made += 1
      return made % 10 < messagesInTen ? message() : { ...facts.memory(), sourceId: `fact:${made}` }
    },
    question,
  }
}

function beginSession(random: Random, number: number) {
  const { from, to } = sessionLengths
  const first = Math.floor(random.next() * names.length)
  const second = (first + 1 + Math.floor(random.next() * (names.length - 1))) % names.length
  const topic = () => vocabulary[Math.floor(random.next() * 3000)] ?? vocabulary[0]
  return {
    name: `session-${number}`,
    people: [names[first] ?? names[0], names[second] ?? names[1]] as const,
    topic: [topic(), topic(), topic(), topic()] as const,
    project: Math.floor(random.next() * projectCount * 1.5),
    length: from + Math.floor(random.next() * (to - from)),
    index: 0,
  }
}

/** Words with what stands between them when people talk. */
function utterance(random: Random, words: readonly string[]): string {
  const parts = words.map((word) => `${pick(random, fillers)} ${word}`)
  const text = `${pick(random, openings)} ${parts.join(" ")}`
  return `${text}${pick(random, endings)}`
}

/** Some of these words, in no order. */
function some(random: Random, words: readonly string[], count: number): string[] {
  const left = [...new Set(words)]
  const taken: string[] = []
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(Math.floor(random.next() * left.length), 1))
  }
  return taken
}

const names = [
  "Anna",
  "Boris",
  "Clara",
  "David",
  "Elena",
  "Felix",
  "Greta",
  "Henry",
  "Irene",
  "Jonas",
] as const

const tags = ["family", "travel", "health", "work", "food", "plans"] as const

const openings = [
  "Well, I think",
  "Yes, we had",
  "You know that I was",
  "Last week we talked of",
  "I am so glad about",
  "Maybe they should have",
  "Oh, that is because of",
  "Did you hear of",
] as const
const fillers = [
  "the",
  "my",
  "a",
  "and the",
  "with some",
  "for our",
  "into this",
  "of her",
  "but not the",
] as const
const endings = [".", ".", "!", "?", ", I suppose.", ", as you said."] as const

const questions = [
  "What did @ say about *?",
  "When did @ talk about * in the end?",
  "Where has @ been when * came up last month?",
  "Why was @ so happy about *?",
  "Which plans does @ have for * this year?",
  "Who told @ that * would not work out?",
] as const

/** Words that tell something, as they come up when people talk. */
export const headWords: readonly string[] = `
  time people day work home friend family book music garden dog cat school weekend trip kitchen dinner coffee morning
  evening summer winter beach mountain river forest lake road car bike train plane ticket hotel city village street house
  room window door table chair lamp bed floor wall roof paint picture photo camera phone computer screen keyboard letter
  story poem song guitar piano drum dance theatre film actor artist museum festival concert party birthday wedding gift
  cake bread cheese apple orange lemon tomato potato onion garlic soup salad rice pasta fish chicken egg milk butter sugar
  salt pepper tea wine beer water juice glass cup plate knife fork spoon pan oven market shop store price money bank job
  office boss team meeting project plan idea problem answer question exam teacher student class lesson language grammar
  history science math physics biology doctor nurse hospital medicine pain head heart hand leg foot eye ear nose mouth
  tooth hair skin shoe shirt dress coat hat glove bag box key ring watch clock hour minute week month year spring autumn
  rain snow wind storm cloud sun moon star sky sea island boat ship port bridge tower church castle park tree flower leaf
  root seed fruit grass stone sand fire smoke light shadow colour paper pen pencil page chapter word sentence voice sound
  noise silence dream sleep hope fear love anger joy luck chance choice habit hobby game football tennis chess race team
  run walk swim climb hike camp tent map compass rope boot horse cow sheep goat bird duck owl fox bear wolf deer rabbit
  mouse bee butterfly spider snake farm barn field fence gate tractor harvest honey wool thread needle cloth curtain
  carpet pillow blanket mirror shelf drawer candle basket bottle jar bowl recipe menu waiter guest neighbour cousin uncle
  aunt sister brother mother father son daughter baby child grandma grandpa husband wife couple partner visitor stranger
  police lawyer judge court law vote mayor council tax law budget insurance pension volunteer charity shelter rescue adopt
  puppy kitten leash vet clinic therapy yoga gym marathon medal trophy coach referee stadium crowd ticket queue poster
  radio news magazine article podcast episode series season novel author publisher library shelf archive letter stamp
`
  .trim()
  .split(/\s+/)
  .filter((word, place, all) => all.indexOf(word) === place)

const vocabularySize = 20_000

const vocabulary = makeVocabulary()

/** The head words first, then words joined from two of them, which are as rare as names and terms are. */
function makeVocabulary(): [string, ...string[]] {
  const random = createSeededRandom(2711)
  const any = () => headWords[Math.floor(random.next() * headWords.length)] ?? ""
  const words = new Set(headWords)
  while (words.size < vocabularySize) words.add(any() + any())
  return [...words] as [string, ...string[]]
}
