import { yieldToEventLoop } from "../../src/base/clock.ts"
import { assign, centroids, radii } from "../../src/memory/topics/clustering/centroids.ts"
import { clusterVectors } from "../../src/memory/topics/clustering/cluster.ts"
import { adjustedRand } from "../../testkit/labellings.ts"
import { dataFolder } from "../shared/data.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { measureStores } from "./organise-store.ts"
import { loadPeer, type Peer } from "./peer.ts"
import { type Planted, plantVectors } from "./planted.ts"
import { type ReferenceSet, readReferences } from "./reference.ts"

/** Whether our clusters are those of scikit-learn, and how time grows with the number of memories. */
export const cluster: Benchmark = {
  about: "whether clusters are those of scikit-learn, and how long finding them takes",
  options: {
    quick: { type: "boolean", help: "1,000 and 2,000 vectors only" },
    full: {
      type: "boolean",
      help: "20,000 and 50,000 vectors too, exact and by a sample, which takes minutes",
    },
    store: {
      type: "boolean",
      help: "only how long organising a whole store takes, 1,000 and 10,000 memories",
    },
    peer: {
      type: "string",
      help: "a folder where the npm package hdbscan-ts is installed, to run it beside ours",
    },
  },
  async run(bench) {
    if (bench.options.store === true)
      return measureStores(bench, bench.options.quick === true ? [1000] : [1000, 10_000])
    const references = readReferences(dataFolder("hdbscan"))
    const figures = await measureAgreement(bench, references)
    figures.push(...(await measureAssigning(references)))
    const { quick, full } = bench.options
    const sizes = quick === true ? [1000, 2000] : [1000, 2000, 5000, 10_000]
    figures.push(...(await measureTimes(bench, full === true ? [...sizes, 20_000, 50_000] : sizes)))
    if (quick !== true)
      figures.push(...(await measureSampling(bench, full === true ? [20_000, 50_000] : [20_000])))
    return figures
  },
}

// Its time grows so fast that 2,000 vectors take it minutes.
const peerLimit = 1000

async function measureAgreement(bench: Bench, references: readonly ReferenceSet[]): Promise<Figure[]> {
  const { peer: folder } = bench.options
  const peer = typeof folder === "string" ? loadPeer(folder) : undefined
  const figures: Figure[] = []
  for (const set of references) {
    bench.say(`${set.name}: ${set.vectors.length} vectors`)
    const started = performance.now()
    const { labels, probabilities } = await clusterVectors(set.vectors, set)
    const seconds = (performance.now() - started) / 1000
    const beside = peer && set.vectors.length <= peerLimit ? besidePeer(peer, set) : undefined
    const off = set.probabilities.map((expected, place) => Math.abs(expected - (probabilities[place] ?? 0)))
    figures.push(
      { ...higher(`${set.name}.agreement`, adjustedRand(labels, set.labels), "ARI"), ...beside?.agreement },
      { ...lower(`${set.name}.seconds`, seconds, "s"), ...beside?.seconds },
      lower(`${set.name}.probability-off`, Math.max(...off), "at most"),
    )
  }
  return figures
}

function besidePeer(
  peer: Peer,
  set: ReferenceSet,
): Record<"agreement" | "seconds", Pick<Figure, "baseline">> {
  const started = performance.now()
  const labels = peer(set)
  const seconds = (performance.now() - started) / 1000
  const baseline = (value: number) => ({ baseline: { name: "hdbscan-ts", value } })
  return { agreement: baseline(adjustedRand(labels, set.labels)), seconds: baseline(seconds) }
}

/** Clusters every other vector and places the rest one by one, as happens to memories between two full runs. */
async function measureAssigning(references: readonly ReferenceSet[]): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const set of references.filter(({ vectors }) => vectors.length >= 1000)) {
    const isKnown = (place: number) => place % 2 === 0
    const known = set.vectors.filter((_, place) => isKnown(place))
    const clustering = await clusterVectors(known, set)
    const middles = centroids(known, clustering)
    const reach = radii(known, clustering, middles)
    const clusters = middles.map((centroid, label) => {
      const expected = set.labels.filter(
        (_, place) => isKnown(place) && clustering.labels[place / 2] === label,
      )
      return { id: String(mostFrequent(expected)), centroid, radius: reach[label] ?? 0 }
    })
    const placed = set.vectors.flatMap((vector, place) =>
      isKnown(place)
        ? []
        : [{ expected: set.labels[place] ?? -1, found: Number(assign(vector, clusters)?.id ?? -1) }],
    )
    const members = placed.filter(({ expected }) => expected >= 0)
    const noise = placed.filter(({ expected }) => expected < 0)
    figures.push(
      higher(`${set.name}.assign.members-right`, shareRight(members), "share"),
      higher(`${set.name}.assign.noise-left-alone`, shareRight(noise), "share"),
    )
  }
  return figures
}

function shareRight(placed: readonly { expected: number; found: number }[]): number {
  return placed.filter(({ expected, found }) => expected === found).length / placed.length
}

function mostFrequent(labels: readonly number[]): number {
  const groups = [...Map.groupBy(labels, (label) => label)]
  return groups.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? -1
}

async function measureTimes(bench: Bench, sizes: readonly number[]): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const size of sizes) {
    const { seconds, ownSeconds, longestTurn, megabytes, agreement } = await measureRun(
      bench,
      plantVectors(size),
      size,
    )
    figures.push(
      higher(`planted.agreement.${size}`, agreement, "ARI"),
      lower(`seconds.${size}`, seconds, "s"),
      lower(`processor-seconds.${size}`, ownSeconds, "s"),
      lower(`longest-turn.${size}`, longestTurn, "ms"),
      lower(`memory.${size}`, megabytes, "MB"),
    )
  }
  const [before, last] = sizes.slice(-2)
  const secondsOf = (size?: number) =>
    figures.find(({ id }) => id === `processor-seconds.${size}`)?.value ?? Number.NaN
  return [...figures, lower(`growth.${before}-${last}`, secondsOf(last) / secondsOf(before), "times")]
}

/** The same for more vectors than are compared with each other. */
async function measureSampling(bench: Bench, sizes: readonly number[]): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const size of sizes) {
    const { seconds, agreement } = await measureRun(bench, plantVectors(size), 10_000)
    figures.push(
      higher(`sampled.agreement.${size}`, agreement, "ARI"),
      lower(`sampled.seconds.${size}`, seconds, "s"),
    )
  }
  return figures
}

async function measureRun(bench: Bench, { vectors, topics }: Planted, exactUpTo: number) {
  const shown = (count: number) => count.toLocaleString("en-US")
  bench.say(`${shown(vectors.length)} made-up vectors, exact up to ${shown(exactUpTo)}`)
  const before = process.memoryUsage.rss()
  const started = performance.now()
  const seen = { megabytes: 0, longestTurn: 0 }
  const ownStarted = threadMs()
  let turned = ownStarted
  const look = () => {
    seen.longestTurn = Math.max(seen.longestTurn, threadMs() - turned)
    seen.megabytes = Math.max(seen.megabytes, (process.memoryUsage.rss() - before) / 1e6)
  }
  const pause = async () => {
    look()
    await yieldToEventLoop()
    turned = threadMs()
  }
  const { labels } = await clusterVectors(vectors, { minClusterSize: 8, exactUpTo, pause })
  look()
  const seconds = (performance.now() - started) / 1000
  const ownSeconds = (threadMs() - ownStarted) / 1000
  return { ...seen, seconds, ownSeconds, agreement: adjustedRand(labels, topics) }
}

/** Processor time of this thread: what else runs on the machine does not count. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function higher(id: string, value: number, unit: string): Figure {
  return { id, value, unit, better: "higher" }
}

function lower(id: string, value: number, unit: string): Figure {
  return { id, value, unit, better: "lower" }
}
