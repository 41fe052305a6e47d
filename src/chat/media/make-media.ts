import { isLoopback } from "../../base/net/web-address.ts"
import { newId } from "../../base/random.ts"
import { withTimeout } from "../../base/with-timeout.ts"
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

export interface MediaNeeds extends Omit<ProviderNeeds, "settings"> {
  db: Database
  screen: Pick<Screen, "check">
  settings: MediaSettings
}

export interface MediaRequest {
  /** The community whose budget it counts against. */
  community: string
  purpose: Purpose
  at: number
  signal: AbortSignal
}

/** The result of a plan. `usd`: its cost, if known. */
export type MadeMedia =
  | { outcome: "made"; files: OutgoingFile[]; usd?: number }
  | { outcome: "refused"; reason: string; usd?: number }

const providers: Record<MediaKind, MediaProvider> = { image: makeImage, video: makeVideo, gif: findGif }

/**
 * Makes the media of a plan, if the configuration allows it and the community's budget has some left. Each refusal and
 * result is journalled, without the prompt. Failures of providers are results, not errors.
 */
export async function makeMedia(
  parts: MediaNeeds,
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
  const request = await requestOf(parts, plan, purpose)
  if ("problem" in request) return refuse(request.problem)
  const most = mostPerDay(parts.settings, plan.kind)
  const reserved = await reserve(parts, { community, kind: plan.kind, most, at }, by)
  if ("reason" in reserved) return refuse(reserved.reason)
  const needs = { ...parts, settings: parts.settings.media }
  // The time limit covers all requests together, and does not depend on the clock.
  const mostMs = needs.settings.timeout_seconds * 1000
  const result = await withTimeout(parts.clock, mostMs, signal, async (either, isLate) => {
    const outcome = await providers[plan.kind](needs, request, either)
    if (outcome.outcome === "made" || !isLate()) return outcome
    return { ...outcome, reason: "It took longer than chat.initiative.media.timeout_seconds." }
  })
  const counts = result.outcome === "made" || result.isSpent
  const usd = counts ? priceOf(parts.settings, plan.kind) : undefined
  const now = parts.clock.now()
  const call = callOf(parts, { kind: plan.kind, model: request.model, result, usd, at, now })
  const figures = { kind: plan.kind, community, model: request.model, ...(usd === undefined ? {} : { usd }) }
  const data =
    result.outcome === "made"
      ? { ...figures, bytes: result.files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) }
      : { ...figures, reason: result.reason, counts }
  const state = result.outcome === "made" ? "made" : "failed"
  await settle(parts.db, reserved.id, { state, counts, data, call }, { ...by, at: now })
  const cost = usd === undefined ? {} : { usd }
  if (result.outcome === "failed") return { outcome: "refused", reason: result.reason, ...cost }
  return { ...result, ...cost }
}

/** How many of each kind a community may still have; 0 for kinds that cannot be made. */
export async function mediaLeft(
  { db, settings }: Pick<MediaNeeds, "db" | "settings">,
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

/** The request to the provider: an allowed model, a prompt within its limit and without secrets. */
async function requestOf(
  { settings, screen }: MediaNeeds,
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
  // The whole prompt is screened, so that cutting hides no secret.
  const screened = await screen.check(prompt)
  if (screened.outcome !== "clean")
    return {
      problem: "The description contains a secret or personal data, which is never sent to a provider.",
    }
  const short = [...prompt.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").trim()]
    .slice(0, discovery.max_media_prompt_chars)
    .join("")
  return short === "" ? { problem: "The description is empty." } : { prompt: short, model: chosen }
}

function priceOf({ media }: MediaSettings, kind: MediaKind): number | undefined {
  const usd = kind === "image" ? media.image_usd : kind === "video" ? media.video_usd : 0
  return usd === 0 ? undefined : usd
}

interface FinishedCall {
  kind: MediaKind
  model: string
  result: ProviderOutcome
  usd: number | undefined
  at: number
  now: number
}

/** The entry for the ledger; null for GIFs, which no model makes. */
function callOf({ random, settings }: MediaNeeds, asked: FinishedCall): ModelCall | null {
  const { kind, model, result, usd, at, now } = asked
  if (kind === "gif") return null
  const url = settings.media[`${kind}_url`]
  const pool = url === "" ? "openai-key" : isLoopback(url) ? "local" : "other"
  const isMade = result.outcome === "made"
  return {
    id: newId(random, "call"),
    at: Math.round(now),
    source: "chat",
    cycle: null,
    pool,
    way: kind,
    model,
    input: 0,
    cachedInput: 0,
    output: 0,
    costUsd: usd ?? null,
    latencyMs: Math.max(0, Math.round(now - at)),
    outcome: isMade ? "answered" : "malformed",
    reason: isMade ? null : result.reason.slice(0, 300),
  }
}
