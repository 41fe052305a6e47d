import { isLoopback } from "../../base/net/web-address.ts"
import { newId } from "../../base/random.ts"
import { within } from "../../base/within.ts"
import type { ModelCall } from "../../llm/ledger.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { Database } from "../../storage/database.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import type { OutgoingFile } from "../channels/channel.ts"
import { reserve, settle, usedBy } from "./budget.ts"
import { type MediaKind, type MediaPlan, mediaKinds } from "./plan.ts"
import { findGif } from "./providers/gifs.ts"
import { makeImage } from "./providers/openai-images.ts"
import { makeVideo } from "./providers/openai-videos.ts"
import type { MediaProvider, ProviderNeeds, ProviderOutcome } from "./providers/provider.ts"
import { type MediaSettings, mostPerDay, type Purpose, problemWithKind } from "./settings.ts"

export interface MediaParts extends Omit<ProviderNeeds, "settings"> {
  db: Database
  screen: Pick<Screen, "check">
  settings: MediaSettings
}

export interface MediaRequest {
  /** Whose budget it comes out of. */
  community: string
  purpose: Purpose
  at: number
  signal: AbortSignal
}

/** What came of a plan. `usd`: what it cost, where that is known. */
export type MadeMedia =
  | { outcome: "made"; files: OutgoingFile[]; usd?: number }
  | { outcome: "refused"; reason: string; usd?: number }

const providers: Record<MediaKind, MediaProvider> = { image: makeImage, video: makeVideo, gif: findGif }

/**
 * Makes what a plan says, if the person allows it and the community's budget has some left. Each refusal and each end is
 * in the journal, without the words of the plan. It does not throw for what others do.
 */
export async function makeMedia(
  parts: MediaParts,
  plan: MediaPlan,
  { community, purpose, at, signal }: MediaRequest,
): Promise<MadeMedia> {
  const by: By = { operation: newId(parts.random, "op"), actor: "chat" }
  const refuse = async (reason: string): Promise<MadeMedia> => {
    const entry = { ...by, at, kind: "media.refused" as const, subject: community }
    const data = { kind: plan.kind, reason }
    await parts.db.write((transaction) => appendEntry(transaction, { ...entry, data }))
    return { outcome: "refused", reason }
  }
  const wish = await wishOf(parts, plan, purpose)
  if ("problem" in wish) return refuse(wish.problem)
  const most = mostPerDay(parts.settings, plan.kind)
  const reserved = await reserve(parts, { community, kind: plan.kind, most, at }, by)
  if ("reason" in reserved) return refuse(reserved.reason)
  const needs = { ...parts, settings: parts.settings.media }
  // All requests together have this time, counted by a timer: a clock that is set changes nothing about it.
  const mostMs = needs.settings.timeout_seconds * 1000
  const came = await within(parts.clock, mostMs, signal, async (either, isLate) => {
    const outcome = await providers[plan.kind](needs, wish, either)
    if (outcome.outcome === "made" || !isLate()) return outcome
    return { ...outcome, reason: "It took longer than chat.initiative.media.timeout_seconds." }
  })
  const counts = came.outcome === "made" || came.isSpent
  const usd = counts ? priceOf(parts.settings, plan.kind) : undefined
  const now = parts.clock.now()
  const call = callOf(parts, { kind: plan.kind, model: wish.model, came, usd, at, now })
  const figures = { kind: plan.kind, community, model: wish.model, ...(usd === undefined ? {} : { usd }) }
  const data =
    came.outcome === "made"
      ? { ...figures, bytes: came.files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) }
      : { ...figures, reason: came.reason, counts }
  const state = came.outcome === "made" ? "made" : "failed"
  await settle(parts.db, reserved.id, { state, counts, data, call }, { ...by, at: now })
  const cost = usd === undefined ? {} : { usd }
  if (came.outcome === "failed") return { outcome: "refused", reason: came.reason, ...cost }
  return { ...came, ...cost }
}

/** How many of each kind a community may still have, and none of what cannot be made at all. */
export async function mediaLeft(
  { db, settings }: Pick<MediaParts, "db" | "settings">,
  { community, purpose, at }: Omit<MediaRequest, "signal">,
): Promise<Record<MediaKind, number>> {
  const used = await usedBy(db, community, at)
  const left = { image: 0, video: 0, gif: 0 }
  for (const kind of mediaKinds) {
    if (problemWithKind(settings, kind, purpose) !== undefined) continue
    left[kind] = Math.max(0, mostPerDay(settings, kind) - used[kind])
  }
  return left
}

/** What is asked for: within the person's lists and bounds, and with no secret in it. */
async function wishOf(
  { settings, screen }: MediaParts,
  { kind, prompt, model }: MediaPlan,
  purpose: Purpose,
): Promise<{ prompt: string; model: string } | { problem: string }> {
  const problem = problemWithKind(settings, kind, purpose)
  if (problem !== undefined) return { problem }
  const { discovery } = settings
  const list =
    kind === "gif" ? [""] : kind === "image" ? discovery.allowed_image_models : discovery.allowed_video_models
  const chosen = kind === "gif" ? "" : (model ?? list[0] ?? "")
  if (!list.includes(chosen))
    return { problem: `The model is not in chat.initiative.discovery.allowed_${kind}_models.` }
  // The whole is looked at, so that cutting hides no secret.
  const screened = await screen.check(prompt)
  if (screened.outcome !== "clean")
    return { problem: "The description holds a secret or personal data, which goes to no provider." }
  const short = [...prompt.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").trim()]
    .slice(0, discovery.max_media_prompt_chars)
    .join("")
  return short === "" ? { problem: "The description is empty." } : { prompt: short, model: chosen }
}

function priceOf({ media }: MediaSettings, kind: MediaKind): number | undefined {
  const usd = kind === "image" ? media.image_usd : kind === "video" ? media.video_usd : 0
  return usd === 0 ? undefined : usd
}

interface Asked {
  kind: MediaKind
  model: string
  came: ProviderOutcome
  usd: number | undefined
  at: number
  now: number
}

/** The ledger's line: for models alone, since finding a GIF asks none. */
function callOf({ random, settings }: MediaParts, asked: Asked): ModelCall | null {
  const { kind, model, came, usd, at, now } = asked
  if (kind === "gif") return null
  const url = settings.media[`${kind}_url`]
  const pool = url === "" ? "openai-key" : isLoopback(url) ? "local" : "other"
  const isMade = came.outcome === "made"
  return {
    ...{
      id: newId(random, "call"),
      at: Math.round(now),
      source: "chat",
      cycle: null,
      pool,
      way: kind,
      model,
    },
    ...{
      input: 0,
      cachedInput: 0,
      output: 0,
      costUsd: usd ?? null,
      latencyMs: Math.max(0, Math.round(now - at)),
    },
    outcome: isMade ? "answered" : "malformed",
    reason: isMade ? null : came.reason.slice(0, 300),
  }
}
