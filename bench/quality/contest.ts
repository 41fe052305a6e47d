import { join } from "node:path"
import { UserError } from "../../src/base/errors.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { loadPeer } from "../peers/load.ts"
import type { Bench } from "../shared/figures.ts"
import { postgresStores, temporaryFolder } from "../shared/stores.ts"
import type { Contest } from "./compare.ts"
import { type BenchModel, openBenchEmbedder } from "./embedding.ts"
import { choosePeers } from "./peers/choose.ts"
import { reverieSystem, type StorePlace } from "./reverie.ts"
import type { System } from "./system.ts"

/** Options that all benchmarks of quality have. */
export const contestOptions = {
  only: { type: "string", help: "names of data sets, to leave the others out" },
  peers: { type: "string", help: "names of peers, all (without it) or none" },
  model: { type: "string", help: "gte-small instead of all-MiniLM-L6-v2; its figures begin with gte-small." },
  database: { type: "string", help: "postgres instead of sqlite; its figures begin with postgres." },
  sample: { type: "string", help: "that many questions of each set, to try things; not comparable" },
  ablation: { type: "boolean", help: "measures ours again without each of its parts" },
} as const

/** Makes ours and the peers ready as the options want them. */
export async function prepareContest(bench: Bench): Promise<Contest> {
  const { peers = "all", ablation } = bench.options
  const folder = () => temporaryFolder(bench)
  const model = modelOf(bench.options)
  const embedder = await openBenchEmbedder(bench, model)
  const { place, prefix } = await storePlaces(bench)
  const ours = reverieSystem({ embedder, place, say: bench.say })
  return {
    ours,
    ablated: ablation === true ? ablationsOf(ours) : new Map(),
    peers: await choosePeers(
      { embed: plainEmbed(embedder), load: loadPeer, folder, say: bench.say },
      String(peers),
    ),
    prefix: `${prefix}${model === "gte-small" ? "gte-small." : ""}`,
    say: bench.say,
  }
}

/** Where ours makes its stores, and what its figures begin with there. */
export async function storePlaces(bench: Bench): Promise<{ place(): Promise<StorePlace>; prefix: string }> {
  const { database = "sqlite" } = bench.options
  if (database === "sqlite") return { place: async () => filePlace(temporaryFolder(bench)), prefix: "" }
  if (database !== "postgres")
    throw new UserError("usage", `--database takes sqlite or postgres, not ${database}.`)
  const stores = await postgresStores(bench)
  if (stores === undefined)
    throw new UserError("usage", "--database postgres needs a PostgreSQL server with pgvector.")
  return { place: async () => ({ url: (await stores.create()).url, file: "" }), prefix: "postgres." }
}

/** A store in a file of this folder. */
export function filePlace(folder: string): StorePlace {
  return { url: "", file: join(folder, "reverie.db") }
}

function ablationsOf({ name, ablations = new Map() }: System): ReadonlyMap<string, System> {
  if (ablations.size > 0) return ablations
  throw new UserError("usage", `--ablation has nothing to leave out: ${name} names no parts of its own.`)
}

function modelOf({ model = "all-MiniLM-L6-v2" }: Bench["options"]): BenchModel {
  if (model === "all-MiniLM-L6-v2" || model === "gte-small") return model
  throw new UserError("usage", `--model takes all-MiniLM-L6-v2 or gte-small, not ${model}.`)
}

function plainEmbed(embedder: Embedder) {
  return {
    dimensions: embedder.dimensions,
    embed: async (texts: readonly string[]) => (await embedder.embed(texts)).map(({ vector }) => vector),
  }
}

/** The data sets that --only leaves, of those there are. */
export function chosenSets<T extends string>({ only }: Bench["options"], sets: readonly T[]): Set<T> {
  if (only === undefined) return new Set(sets)
  return new Set(
    String(only)
      .split(",")
      .map((name) => {
        const set = sets.find((one) => one === name)
        if (set === undefined) throw new UserError("usage", `--only takes ${sets.join(", ")}, not ${name}.`)
        return set
      }),
  )
}

/** How many questions --sample allows. */
export function sampleSize({ sample }: Bench["options"]): number | undefined {
  if (sample === undefined) return undefined
  const count = Number(sample)
  if (Number.isInteger(count) && count > 0) return count
  throw new UserError("usage", `--sample takes a whole number above 0, not ${sample}.`)
}
