import type { SafeFetch } from "../../base/net/safe-fetch/safe-fetch.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { roomKey } from "../../chat/conversation/state.ts"
import type { Reader } from "../../chat/discovery/reading/reader.ts"
import type { Robots } from "../../chat/discovery/web/robots.ts"
import type { KeyedSearch } from "../../chat/discovery/web/search-key.ts"
import { type Decided, decide, type Guarded, guarded } from "../../safety/dispatch.ts"
import type { Effect } from "../../safety/tier.ts"
import { type Tool, wrong } from "../../safety/tool.ts"
import { communityMemoryTool } from "../../tools/chat.ts"
import { sourceTools, type WebDesk, webTools } from "../../tools/web.ts"
import { recallFor } from "../listen/recall-for.ts"
import { keepDecision } from "../permissions/keep-decision.ts"
import type { GatherNeeds } from "./gather.ts"
import type { Abilities } from "./prompts.ts"

/** What reading the web needs; servers of tests replace the real ones. */
export interface WebNeeds {
  fetch: SafeFetch
  reader: Reader
  robots: Robots
  keyFor(provider: KeyedSearch): string | undefined
  redact(text: string): Promise<string>
  browse?: WebDesk["browse"]
  endpoints?: Exclude<WebDesk["endpoints"], undefined>
}

/** The tools of one look, under safety's guard, and what was read with them. */
export interface LookTools extends Guarded {
  abilities: Abilities
  hasReadWeb(): boolean
}

const webNames = new Set(["web_search", "web_scrape", "browser_browse", "discovery_source_add"])

/**
 * The tools that settings give a look. The guard has read outside text from the start: people's messages. That the web may
 * be asked all the same is what `allow_active_curiosity` and `allow_self_curation` say; nothing else may leave.
 */
export function lookTools(
  needs: GatherNeeds & { web: WebNeeds },
  {
    room,
    community,
    run,
    mayUseTools,
  }: { room: RoomRef; community: string; run: string; mayUseTools: boolean },
): LookTools {
  const { text, discovery } = needs.config.chat.initiative
  const hasBudget = mayUseTools && text.max_tool_steps > 0 && text.max_tool_calls > 0
  const desk: WebDesk = { ...needs, ...needs.web, config: discovery }
  const search = (query: string, limit: number) =>
    recallFor(needs, needs.policy(room), room, { query, limit, isAsked: true })
  const tools: Tool[] = hasBudget
    ? [
        ...(needs.config.memory.enabled ? [communityMemoryTool("memory_search", { search })] : []),
        ...(text.allow_active_curiosity ? webTools(desk) : []),
        ...sourceTools(desk, community),
      ]
    : []
  const names = tools.map(({ shape }) => shape.name)
  let hasReadWeb = false
  const onDecided = async (decided: Decided) => {
    if (decided.tier === "auto" && webNames.has(decided.tool)) hasReadWeb = true
    await keepDecision(needs, community, decided, { run })
  }
  return {
    ...guarded(
      {
        ...{ config: needs.config, hasReadOutside: true, onDecided },
        permits: ({ kind }) => kind === "fetch",
        ask: async ({ tool, reason }) => wrong(`Not done: ${tool} would need a person. ${reason}`),
      },
      tools,
    ),
    abilities: {
      tools: names,
      missing: missingIn(needs, names, hasBudget),
      maxLinks: discovery.max_links_per_post,
    },
    hasReadWeb: () => hasReadWeb,
  }
}

function missingIn({ config }: GatherNeeds, names: readonly string[], hasBudget: boolean): string[] {
  if (!hasBudget) return []
  const { text, discovery } = config.chat.initiative
  return [
    ...(names.includes("web_search") ? [] : ["You cannot search the web."]),
    ...(text.allow_active_curiosity ? [] : ["You cannot read web pages."]),
    ...(discovery.allow_self_curation ? [] : ["You cannot change what your feed is made of."]),
  ]
}

/** Whether a thought may be posted in a room: safety's word, which the operator's lists of channels answer beforehand. */
export function mayPost(
  needs: Pick<GatherNeeds, "config" | "policy">,
  room: RoomRef,
  hasReadWeb: boolean,
): { may: true } | { may: false; reason: string } {
  const { begins, postsAfterWeb } = needs.policy(room)
  if (!begins.is) return { may: false, reason: begins.why }
  if (hasReadWeb && !postsAfterWeb.is) return { may: false, reason: postsAfterWeb.why }
  const to = roomKey(room)
  const effects: Effect[] = [{ kind: "message", to }]
  const guard = { config: needs.config, hasReadOutside: true, permits: () => true }
  const { tier, reason } = decide(guard, "post", { input: { channel: to }, tier: "auto", effects })
  return tier === "auto" ? { may: true } : { may: false, reason }
}
