import { z } from "zod"
import { UserError } from "../../../base/errors.ts"
import { memoryScopes, ratings, userEdgeKinds } from "../../../memory/model/kinds.ts"
import { changedText } from "../answer-text.ts"
import { type ClientContext, projectOf } from "../client-context.ts"
import { answerShape, changedShape, inputs, shapes } from "../shapes.ts"
import { defineMcpTool } from "../tool.ts"

const texts = z.array(z.string().min(1).max(2000))

const mayReplace = z
  .array(z.object({ id: z.string(), content: z.string(), createdAt: z.string() }))
  .optional()
  .describe("Memories it may be an update of; the user decides.")

function mayReplaceText(olds: z.output<typeof mayReplace> = []): string[] {
  const ids = olds.map((one) => one.id).join(", ")
  return ids === "" ? [] : [`It may replace ${ids}; both are kept, and the user decides.`]
}

export const rememberTool = defineMcpTool({
  name: "memory_remember",
  title: "Remember",
  description:
    "Saves one thing that will still matter in later sessions, as one plain sentence that can be understood alone. " +
    "What is known already is made stronger, what it replaces is superseded; secrets are taken out. " +
    "It is saved as an agent's note: what the user said outweighs it, and a global note waits for their approval. " +
    "Do not store what the code or its history says anyway, nor what is only about the current task.",
  hints: { readOnly: false },
  input: z.strictObject({
    content: z.string().min(1).describe("The sentence to save."),
    type: inputs.type
      .default("fact")
      .describe(
        "negative: what not to do; correction: the user set something right; procedure: how to do something.",
      ),
    scope: z
      .enum(memoryScopes)
      .optional()
      .describe(
        "project (default where there is one), global for what applies everywhere once the user agrees, session for this connection.",
      ),
    project: inputs.project,
    tags: inputs.tags.default([]),
    triggers: z
      .array(z.string().min(1).max(200))
      .max(20)
      .default([])
      .describe("Words that should always bring it up; * matches anything."),
    files: z.array(z.string().min(1).max(1000)).max(100).optional().describe("Files it is about."),
    steps: texts.max(100).optional(),
    prerequisites: texts.max(50).optional(),
    warnings: texts.max(50).optional(),
    reason: z.string().min(1).max(500).optional().describe("Why it is believed."),
    derived_from: z.array(inputs.id).max(20).optional().describe("Memories it was concluded from."),
  }),
  output: answerShape({
    outcome: z.enum(["saved", "reinforced", "superseded", "conflict", "updated", "unchanged", "refused"]),
    id: z.string().optional(),
    parts: z.array(z.string()).optional().describe("The memories that a long text became."),
    reason: z.string().optional(),
    related: z.array(z.string()).optional().describe("Memories it replaced, or that say otherwise."),
    mayReplace,
    judge: z.string().optional().describe("The version of the trained model that had a part in it."),
    status: z.string().optional(),
  }),
  run({ client, context }, { scope, project: folder, derived_from: derivedFrom, ...memory }) {
    const project = projectOf(context, folder)
    return client.add({
      ...memory,
      source: "observed",
      ...(derivedFrom ? { derivedFrom } : {}),
      from: [context.folder ?? [], project ?? []].flat(),
      ...scopeFields(context, scope, project),
    })
  },
  toText({ outcome, id = "", reason, related = [], mayReplace: olds, status }) {
    const others = related.join(", ")
    const sentences = {
      saved: `Saved as ${id}.`,
      reinforced: `Already known as ${id}; its strength was raised.`,
      updated: `Updated ${id}.`,
      unchanged: `Already known as ${id}; nothing changed.`,
      superseded: `Saved as ${id}; it replaces ${others}.`,
      conflict: `Saved as ${id}, but ${others} says otherwise; both are kept.`,
      refused: `Not saved: ${reason ?? "it was refused"}.`,
    }
    const waits = "Searches do not find it until the user confirms it."
    const more =
      outcome === "refused"
        ? []
        : [reason ?? [], mayReplaceText(olds), status === "quarantined" ? waits : []].flat()
    return [sentences[outcome], ...more].join(" ")
  },
})

export const editTool = defineMcpTool({
  name: "memory_edit",
  title: "Edit a note",
  description:
    "Corrects a note of an agent's: its text, type, tags or steps. What the user said only they change.",
  hints: { readOnly: false, destructive: true, idempotent: true },
  input: z.strictObject({
    id: inputs.id,
    content: z.string().min(1).optional().describe("The new sentence."),
    type: inputs.type.optional(),
    tags: inputs.tags.optional(),
    steps: z.array(z.string().min(1).max(2000)).max(100).optional(),
  }),
  output: answerShape({
    outcome: z.string(),
    reason: z.string().optional(),
    operation: z.string().optional(),
    memories: z.array(shapes.memory).optional(),
    mayReplace,
  }),
  run: async ({ client, context }, { id, ...edit }) => client.edit(id, { ...edit, from: context.folder }),
  toText: ({ outcome, reason, operation = "", memories = [], mayReplace: olds }) =>
    outcome === "refused"
      ? `Not changed: ${reason}.`
      : [changedText({ outcome, operation, memories }), ...mayReplaceText(olds)].join("\n"),
})

type Scope = (typeof memoryScopes)[number]

function scopeFields(context: ClientContext, scope: Scope | undefined, project: string | undefined) {
  const wanted = scope ?? (project === undefined ? "global" : "project")
  const session = context.session === undefined ? {} : { sessionId: context.session }
  if (wanted === "global") return { scope: wanted, ...session }
  if (wanted === "session" && context.session === undefined)
    throw new UserError("usage", "Over HTTP there is no session; use scope project or global.")
  if (wanted === "project" && project === undefined)
    throw new UserError(
      "usage",
      "Give project, the path of the folder it is about; this server was started without one.",
    )
  return { scope: wanted, project, ...session }
}

const ids = z.array(inputs.id).min(1).max(100)

export const forgetTool = defineMcpTool({
  name: "memory_forget",
  title: "Forget memories",
  description:
    "Puts memories aside so that nothing finds them any more, such as ones that are wrong. A session may do so with a few only, and not with what the user said; the user can bring them back.",
  hints: { readOnly: false, destructive: true, idempotent: true },
  input: z.strictObject({ ids }),
  output: changedShape,
  run: async ({ client }, { ids }) => client.forget({ ids }),
  toText: changedText,
})

export const linkTool = defineMcpTool({
  name: "memory_link",
  title: "Link memories",
  description: "Says how two memories relate. `source supersedes target` makes the target superseded.",
  hints: { readOnly: false, destructive: true, idempotent: true },
  input: z.strictObject({
    source: inputs.id,
    kind: z.enum(userEdgeKinds),
    target: inputs.id,
    weight: z.number().min(0).max(1).optional().describe("How strongly, 0 to 1."),
    remove: z.boolean().default(false).describe("Removes the link instead."),
  }),
  output: changedShape,
  run: async ({ client }, asked) => client.link(asked),
  toText: changedText,
})

export const tagTool = defineMcpTool({
  name: "memory_tag",
  title: "Tag memories",
  description: "Adds tags to memories and removes tags.",
  hints: { readOnly: false, destructive: true, idempotent: true },
  input: z.strictObject({ ids, add: inputs.tags.default([]), remove: inputs.tags.default([]) }),
  output: changedShape,
  run: async ({ client, context }, asked) => client.tag({ ...asked, from: context.folder }),
  toText: changedText,
})

export const rateTool = defineMcpTool({
  name: "memory_rate",
  title: "Rate a memory",
  description:
    "Says whether a memory that came up helped, once a session. Helpful ones are believed more, unhelpful ones less; what the user said stays as it is.",
  hints: { readOnly: false },
  input: z.strictObject({ id: inputs.id, rating: z.enum(ratings) }),
  output: changedShape,
  run: async ({ client }, asked) => client.rate(asked),
  toText: changedText,
})
