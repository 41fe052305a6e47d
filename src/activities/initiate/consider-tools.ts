import type { RoomRef } from "../../chat/channels/channel.ts"
import { roomKey } from "../../chat/conversation/state.ts"
import { type CallDecision, decide, type GuardedTools, withGuard } from "../../safety/dispatch.ts"
import type { Effect } from "../../safety/tier.ts"
import { type Tool, toolError } from "../../safety/tool.ts"
import { communityMemoryTool } from "../../tools/chat.ts"
import { sourceTools, type WebToolContext, webTools } from "../../tools/web.ts"
import { recallFor } from "../listen/recall-for.ts"
import { recordDecision } from "../permissions/record-decision.ts"
import type { GatherNeeds } from "./gather.ts"
import type { Abilities } from "./prompts.ts"

/** How tools reach the web; tests replace parts of it. */
export type WebNeeds = Pick<
  WebToolContext,
  "fetch" | "reader" | "robots" | "keyFor" | "redact" | "browse" | "endpoints"
>

/** The guarded tools of one consideration, and whether they read the web. */
export interface ConsiderTools extends GuardedTools {
  abilities: Abilities
  hasReadWeb(): boolean
}

const webNames = new Set(["web_search", "web_scrape", "browser_browse", "discovery_source_add"])

/**
 * The tools that the settings allow. The guard treats people's messages as outside text from the start, so only fetching is
 * permitted, which `allow_active_curiosity` and `allow_self_curation` switch on.
 */
export function considerTools(
  needs: GatherNeeds & { web: WebNeeds | undefined },
  options: { room: RoomRef; community: string; run: string; mayUseTools: boolean },
): ConsiderTools {
  const { room, community, run } = options
  const { text, discovery } = needs.config.chat.initiative
  const hasBudget = options.mayUseTools && text.max_tool_steps > 0 && text.max_tool_calls > 0
  const desk = needs.web && hasBudget ? { ...needs, ...needs.web, config: discovery } : undefined
  const search = (query: string, limit: number) =>
    recallFor(needs, needs.policy(room), room, { query, limit, isAsked: true })
  const tools: Tool[] =
    desk === undefined
      ? []
      : [
          ...(needs.config.memory.enabled ? [communityMemoryTool("memory_search", { search })] : []),
          ...(text.allow_active_curiosity ? webTools(desk) : []),
          ...sourceTools(desk, community),
        ]
  const names = tools.map(({ shape }) => shape.name)
  let hasReadWeb = false
  const onDecided = async (decided: CallDecision) => {
    if (decided.tier === "auto" && webNames.has(decided.tool)) hasReadWeb = true
    await recordDecision(needs, community, decided, { run })
  }
  return {
    ...withGuard(
      {
        config: needs.config,
        hasReadUntrusted: true,
        onDecided,
        isPreapproved: ({ kind }) => kind === "fetch",
        ask: async ({ tool, reason }) => toolError(`Not done: ${tool} would need a person. ${reason}`),
      },
      tools,
    ),
    abilities: {
      tools: names,
      missing: desk === undefined ? [] : missingIn(needs, names),
      maxLinks: discovery.max_links_per_post,
    },
    hasReadWeb: () => hasReadWeb,
  }
}

function missingIn({ config }: GatherNeeds, names: readonly string[]): string[] {
  const { text, discovery } = config.chat.initiative
  return [
    ...(names.includes("web_search") ? [] : ["You cannot search the web."]),
    ...(text.allow_active_curiosity ? [] : ["You cannot read web pages."]),
    ...(discovery.allow_self_curation ? [] : ["You cannot change what your feed is made of."]),
  ]
}

/** Whether a thought may be posted in a room, by the operator's lists of channels and by safety. */
export function mayPost(
  needs: Pick<GatherNeeds, "config" | "policy">,
  room: RoomRef,
  hasReadWeb: boolean,
): { may: true } | { may: false; reason: string } {
  const { startsTopics: begins, postsAfterWeb } = needs.policy(room)
  if (!begins.allowed) return { may: false, reason: begins.reason }
  if (hasReadWeb && !postsAfterWeb.allowed) return { may: false, reason: postsAfterWeb.reason }
  const to = roomKey(room)
  const effects: Effect[] = [{ kind: "message", to }]
  const guard = { config: needs.config, hasReadUntrusted: true, isPreapproved: () => true }
  const { tier, reason } = decide(guard, "post", { input: { channel: to }, tier: "auto", effects })
  return tier === "auto" ? { may: true } : { may: false, reason }
}
