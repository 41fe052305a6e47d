// One of several processes that add memories at the same time, each through the client that every surface uses.
// Prints a text once its add was acknowledged. Arguments: name, first number, end.
import { systemClock } from "../../src/base/clock.ts"
import { systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { connect } from "../../src/surfaces/connect.ts"
import { loadBuilt } from "./built.ts"

const { openLocal } = loadBuilt<typeof import("../../src/local.ts")>("local.js")

const [name = "", from = "0", end = "0"] = process.argv.slice(2)
const env = readEnvironment()
const paths = pathsFor(env)
const connection = await connect({
  socket: paths.socket,
  clock: systemClock,
  random: systemRandom,
  actor: "adder",
  databaseUrl: env.databaseUrl,
  openLocal: () => openLocal({ env, paths, clock: systemClock, random: systemRandom }),
})
for (let number = Number(from); number < Number(end); number += 1) {
  const text = `${name} remembers the number ${number}`
  // The operation is named after the text: an add that was in flight when we died is not done twice.
  const answer = await connection.client.add(
    // As it is: texts that differ in a number only would replace each other.
    { content: text, verbatim: true },
    `op_${name}x${String(number).padStart(8, "0")}`,
  )
  if (answer.outcome === "saved") process.stdout.write(`${text}\n`)
}
await connection.close()
