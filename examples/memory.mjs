// Remembers a few things in a throwaway home and finds them again: npm run example
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openMemory } from "reverie/memory"

const home = await mkdtemp(join(tmpdir(), "reverie-example-"))
const memory = await openMemory({ home })
try {
  // One at a time: repeated statements are reinforced, opposed ones replaced.
  console.log(await memory.remember({ content: "The API listens on port 8080", tags: ["api"] }))
  console.log(await memory.remember({ content: "The API listens on port 9090", tags: ["api"] }))

  // Many at once, each with an identity of your own.
  const lines = [
    { content: "Deploys run from main through CI", sourceId: "note-1" },
    { content: "Never commit .env files", type: "negative", triggers: [".env"], sourceId: "note-2" },
    { content: "The user prefers short answers", type: "preference", sourceId: "note-3" },
  ]
  const { saved, seconds, outcomes } = await memory.rememberAll(lines)
  console.log(
    `${saved} more saved in ${seconds} s:`,
    outcomes.map(({ sourceId, id }) => `${sourceId} is ${id}`),
  )

  // The same identity again updates its memory.
  console.log(await memory.remember({ content: "Deploys run from trunk through CI", sourceId: "note-1" }))

  for (const query of ["Which port does the API use?", "git add .env", "What is the capital of Peru?"]) {
    const { memories, abstained } = await memory.retrieve({ query, limit: 3 })
    console.log(
      query,
      abstained
        ? "(nothing worth saying)"
        : memories.map(({ content, score, via }) => ({ content, score, via })),
    )
  }
} finally {
  await memory.close()
  await rm(home, { recursive: true, force: true })
}
