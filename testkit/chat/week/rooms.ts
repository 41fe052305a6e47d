/** One kind of room: how often somebody speaks there, and of what. */
export interface RoomKind {
  name: string
  about: string
  /** Messages on a working day; weekends have `weekend` times as many. */
  perDay: number
  weekend: number
  /** Which share of exchanges begins by addressing the bot, and which is a question that it could answer. */
  addressed: number
  question: number
  bots: number
  threads: number
  people: string[]
  questions: string[]
  remarks: string[]
}

const things = [
  "the importer",
  "the night build",
  "the map view",
  "the export",
  "the login page",
  "the queue",
]

const each = (...patterns: string[]) =>
  patterns.flatMap((pattern) => things.map((thing) => pattern.replace("{}", thing)))

/** Six rooms of different kinds, in words of our own. */
export const weekRooms: RoomKind[] = [
  {
    ...{ name: "help", about: "a help channel", perDay: 160, weekend: 0.4, addressed: 0.06, question: 0.35 },
    ...{ bots: 0, threads: 0.1, people: ["ida", "bo", "carl", "dee", "eno", "fay", "gus"] },
    questions: each(
      "how do I restart {}?",
      "does {} work behind a proxy?",
      "why is {} so slow since Monday?",
    ),
    remarks: each(
      "I cleared the cache of {} and it works now",
      "{} shows the old version here",
      "same with {}",
    ),
  },
  {
    ...{
      name: "lounge",
      about: "chatty, off topic",
      perDay: 420,
      weekend: 1.4,
      addressed: 0.01,
      question: 0.04,
    },
    ...{ bots: 0, threads: 0, people: ["hal", "ivy", "jon", "kim", "lou", "max", "nia", "oli"] },
    questions: ["anybody up for soup at twelve?", "which film was that with the lighthouse?"],
    remarks: [
      "haha",
      "the heron is back on the roof",
      "my train stood in a field for an hour",
      "good morning",
      "ok",
    ],
  },
  {
    ...{ name: "news", about: "quiet announcements", perDay: 3, weekend: 0, addressed: 0.02, question: 0.05 },
    ...{ bots: 0, threads: 0, people: ["pia", "quin"] },
    questions: ["is the office open on Friday?"],
    remarks: each("new since today: {} has a dark theme", "{} is down for an hour tonight"),
  },
  {
    ...{ name: "project", about: "a project with threads", perDay: 140, weekend: 0.1, addressed: 0.05 },
    ...{ question: 0.2, bots: 0, threads: 0.6, people: ["rob", "sue", "tim", "una", "vic"] },
    questions: each("who wrote the tests of {}?", "did we decide to keep {} as it is?"),
    remarks: each("I pushed a fix for {}", "{} needs one more review", "let us take {} out of this release"),
  },
  {
    ...{ name: "ops", about: "mostly bots", perDay: 260, weekend: 0.9, addressed: 0.02, question: 0.1 },
    ...{ bots: 0.8, threads: 0, people: ["wes", "xia"] },
    questions: each("is {} still red?"),
    remarks: each("build of {} passed", "build of {} failed in step 4", "disk of {} at 81 %"),
  },
  {
    ...{ name: "tandem", about: "two languages", perDay: 120, weekend: 1.1, addressed: 0.05, question: 0.25 },
    ...{ bots: 0, threads: 0, people: ["yara", "zoe", "anton", "bela"] },
    questions: ["wie sagt man das auf Englisch?", "what does “Feierabend” mean?", "stimmt der Satz so?"],
    remarks: [
      "danke, das hilft!",
      "I always mix up der and das",
      "heute war es sehr heiß in der Stadt",
      "my turn",
    ],
  },
]
