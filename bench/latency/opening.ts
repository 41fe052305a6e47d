import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { type Figure, median } from "../figures.ts"
import { searchedProject } from "../made-up-texts.ts"
import type { ColdOpen } from "./cold-open.ts"
import type { MeasuredStore } from "./measured-store.ts"
import { vectorModel } from "./vectors.ts"

const program = fileURLToPath(new URL("./cold-open.ts", import.meta.url))

/** Opening an existing store and searching its text for the first time, in a fresh process. */
export async function measureOpening(measured: MeasuredStore): Promise<Figure[]> {
  const { plan, store, texts } = measured
  const openOurs = (query: string) => openFresh(measured, { first: "text", url: store.url, query })
  const openPlain = (query: string) =>
    openFresh(measured, { first: "plain text", url: store.plainUrl, query })
  if (measured.rows === plan.sizes[0]) await warmUp(openOurs, openPlain)
  const ours: number[] = []
  const plain: number[] = []
  for (let number = 0; number < plan.openings; number += 1) {
    const query = texts.query()
    ours.push(await openOurs(query))
    plain.push(await openPlain(query))
  }
  const baseline = { name: "bare driver opens and searches", value: median(plain) }
  return [{ ...openFigure(measured, "open", measured.rows, ours), baseline }]
}

/** The first processes compile what all others find compiled. */
async function warmUp(...openings: ((query: string) => Promise<number>)[]): Promise<void> {
  for (const open of openings) await open("nothing")
}

/** The same with the nearest vectors as the first search. */
export async function measureFirstNearest(measured: MeasuredStore, vectors: number): Promise<Figure[]> {
  const times: number[] = []
  for (let number = 0; number < measured.plan.openings; number += 1) {
    times.push(await openFresh(measured, { first: "nearest", url: measured.store.url, query: "" }))
  }
  return [openFigure(measured, "open-nearest", vectors, times)]
}

function openFigure({ store }: MeasuredStore, act: string, size: number, times: number[]): Figure {
  return { id: `${store.kind}.${act}.${size}`, value: median(times), unit: "ms", better: "lower" }
}

async function openFresh(
  { atEnd, compileCache }: MeasuredStore,
  asked: Pick<ColdOpen, "first" | "url" | "query">,
): Promise<number> {
  const whole: ColdOpen = { ...asked, project: searchedProject, model: vectorModel }
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  const stdio = ["ignore", "pipe", "inherit"] as const
  const child = spawn(process.execPath, [program, JSON.stringify(whole)], { env, stdio: [...stdio] })
  atEnd(() => stop(child))
  const ms = child.stdout === null ? "" : await text(child.stdout)
  if (ms === "") throw new Error(`the fresh process that should open ${asked.url} failed`)
  return Number(ms)
}

/** A process left alone would make its folders again after they were removed. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}
