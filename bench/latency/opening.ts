import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { type Figure, median } from "../shared/figures.ts"
import { searchedProject } from "../shared/made-up-texts.ts"
import type { ColdOpen, ColdOpened } from "./cold-open.ts"
import type { MeasuredStore } from "./measured-store.ts"
import { vectorModel } from "./vectors.ts"

const program = fileURLToPath(new URL("./cold-open.ts", import.meta.url))

/** Opening an existing store and asking it for the first time, in a fresh process; and the memory that takes. */
export async function measureOpening(measured: MeasuredStore): Promise<Figure[]> {
  const { plan, store, talk } = measured
  const openOurs = (first: "words" | "whole", query: string) =>
    openFresh(measured, { first, url: store.url, query })
  const openPlain = (query: string) =>
    openFresh(measured, { first: "plain text", url: store.plainUrl, query })
  // The first processes compile what all others find compiled.
  if (measured.rows === plan.sizes[0]) {
    for (const first of ["words", "whole"] as const) await openOurs(first, "nothing")
    await openPlain("nothing")
  }
  const opened = { words: [] as ColdOpened[], whole: [] as ColdOpened[], plain: [] as ColdOpened[] }
  for (let number = 0; number < plan.openings; number += 1) {
    const { text: query } = talk.question()
    opened.words.push(await openOurs("words", query))
    opened.whole.push(await openOurs("whole", query))
    opened.plain.push(await openPlain(query))
  }
  const plainMs = { name: "bare driver opens and searches", value: medianMs(opened.plain) }
  const plainMemory = { name: "the same process with the bare driver", value: medianMegabytes(opened.plain) }
  return [
    { ...openFigure(measured, "open", measured.rows, opened.words), baseline: plainMs },
    { ...openFigure(measured, "open-with-model", measured.rows, opened.whole), baseline: plainMs },
    { ...memoryFigure(measured, opened.whole), baseline: plainMemory },
  ]
}

function memoryFigure({ store, rows }: MeasuredStore, opened: readonly ColdOpened[]): Figure {
  const id = `${store.kind}.memory-used.${rows}`
  return { id, value: medianMegabytes(opened), unit: "MB", better: "lower" }
}

function medianMs(opened: readonly ColdOpened[]): number {
  return median(opened.map(({ ms }) => ms))
}

function medianMegabytes(opened: readonly ColdOpened[]): number {
  return median(opened.map(({ residentBytes }) => residentBytes)) / 1e6
}

/** The same with the nearest vectors as the first search. */
export async function measureFirstNearest(measured: MeasuredStore, vectors: number): Promise<Figure[]> {
  const times: ColdOpened[] = []
  for (let number = 0; number < measured.plan.openings; number += 1) {
    times.push(await openFresh(measured, { first: "nearest", url: measured.store.url, query: "" }))
  }
  return [openFigure(measured, "open-nearest", vectors, times)]
}

function openFigure(
  { store }: MeasuredStore,
  act: string,
  size: number,
  opened: readonly ColdOpened[],
): Figure {
  return { id: `${store.kind}.${act}.${size}`, value: medianMs(opened), unit: "ms", better: "lower" }
}

async function openFresh(
  { atEnd, compileCache }: MeasuredStore,
  asked: Pick<ColdOpen, "first" | "url" | "query">,
): Promise<ColdOpened> {
  const whole: ColdOpen = { ...asked, project: searchedProject, model: vectorModel }
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  const stdio = ["ignore", "pipe", "inherit"] as const
  const child = spawn(process.execPath, [program, JSON.stringify(whole)], { env, stdio: [...stdio] })
  atEnd(() => stop(child))
  const told = child.stdout === null ? "" : await text(child.stdout)
  if (told === "") throw new Error(`the fresh process that should open ${asked.url} failed`)
  return JSON.parse(told)
}

/** A process left alone would make its folders again after they were removed. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}
