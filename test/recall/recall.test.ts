import { expect, it } from "vitest"
import { purgeMemories } from "../../src/activities/purge.ts"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { createToyEmbedder } from "../../testkit/toy-embedder.ts"
import { openRecallWorld } from "../../testkit/worlds/recall-world.ts"

const deploy = "The deploy script needs the staging flag before production"
const tests = "Integration tests need the docker network called harbour"

/** Whether a promise is settled by now. */
function isOver(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((done) => setImmediate(done, false))])
}

describeDatabases("recall", (create) => {
  it("gives every prompt its own memories", async () => {
    const world = await openRecallWorld(await create())
    await world.remember(deploy, { project: "shop" })
    await world.remember(tests, { project: "shop" })
    expect(await world.say("How do I run the deploy script for production?")).toEqual([deploy])
    expect(
      await world.say("Go on with the deploy script and show the integration tests with docker"),
    ).toEqual([tests])
    expect(await world.say("And the docker network of the integration tests again")).toEqual([])
  })

  it("says nothing where nothing matters, and of other projects never", async () => {
    const world = await openRecallWorld(await create())
    await world.remember(deploy, { project: "elsewhere" })
    expect(await world.say("How do I run the deploy script for production?")).toEqual([])
    expect(await world.say("What is the capital of Peru and its climate?")).toEqual([])
    const there = { ...world.session, id: "codex:two", project: "elsewhere" }
    expect(await world.say("How do I run the deploy script for production?", there)).toEqual([deploy])
  })

  it("does not wait for a search where it may not", async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const held = "Deploy script with the staging flag to production please"
    const isHeld = (texts: readonly string[]) => texts.some((text) => text.includes(held))
    const embedder = createToyEmbedder({ before: (texts) => (isHeld(texts) ? gate : undefined) })
    const world = await openRecallWorld(await create(), {
      embedder,
      config: { recall: { wait_ms: 0 } },
    })
    await world.remember(deploy, { project: "shop" })
    expect(await world.recall.turn(world.session, { kind: "prompt", text: held })).toEqual({
      memories: [],
      text: "",
    })
    expect(await world.recall.turn(world.session, { kind: "prompt", text: "go on" })).toMatchObject({
      memories: [],
    })
    open()
    await world.recall.settled()
    expect(await world.say("go on")).toEqual([deploy])
  })

  it("waits for a prompt's memories no longer than it may", async () => {
    const never = new Promise<void>(() => {})
    const held = "Deploy script with the staging flag to production please"
    let isAsked = false
    const embedder = createToyEmbedder({
      before(texts) {
        if (!texts.includes(held)) return
        isAsked = true
        return never
      },
    })
    const world = await openRecallWorld(await create(), { embedder })
    await world.remember(deploy, { project: "shop" })
    const answer = world.recall.turn(world.session, { kind: "prompt", text: held })
    let isDone = false
    void answer.then(() => {
      isDone = true
    })
    while (!isAsked) await world.clock.advance(0)
    await world.clock.advance(149)
    expect(isDone).toBe(false)
    await world.clock.advance(1)
    expect((await answer).memories).toEqual([])
  })

  it("goes on after a restart with what was prepared and what was surfaced", async () => {
    const world = await openRecallWorld(await create(), { config: { recall: { wait_ms: 0 } } })
    await world.remember(deploy, { project: "shop" })
    await world.say("How do I run the deploy script for production?")
    await world.recall.close()
    await world.clock.advance(40 * 86_400_000)
    const second = world.reopen()
    expect(await world.say("Then run it", world.session, second)).toEqual([deploy])
    await second.close()
    const third = world.reopen()
    await world.say("How do I run the deploy script for production?", world.session, third)
    expect(await world.say("How do I run the deploy script for production?", world.session, third)).toEqual(
      [],
    )
  })

  it("surfaces nothing twice when two programs keep the same session", async () => {
    const world = await openRecallWorld(await create())
    await world.remember(deploy, { project: "shop" })
    const other = world.reopen()
    await world.say("Tell me about the weather", world.session, other)
    expect(await world.say("How do I run the deploy script for production?")).toEqual([deploy])
    await world.say("Run the deploy script for production", world.session, other)
    await world.say("Run the deploy script for production", world.session, other)
    const [row] = await world.db.read<{ state: string }>({
      parts: ["select state from recall_states where session = 'codex:one'"],
      values: [],
    })
    expect(JSON.parse(row?.state ?? "{}").surfaced).toHaveLength(1)
  })

  it("does not bring up what was forgotten or changed since it was prepared", async () => {
    const world = await openRecallWorld(await create(), { config: { recall: { wait_ms: 0 } } })
    const { id = "" } = (await world.remember(deploy, { project: "shop" })) as { id?: string }
    await world.say("How do I run the deploy script for production?")
    await world.act((needs, by) => forget(needs, [id], by))
    expect(await world.say("Then run it")).toEqual([])
  })

  it("leaves out what was said in the same session until its context is shortened", async () => {
    const world = await openRecallWorld(await create())
    await world.remember(deploy, { project: "shop", sessionId: "codex:one", messageIndex: 3, createdAt: 0 })
    const prompt = "How do I run the deploy script for production?"
    expect(await world.say(prompt)).toEqual([])
    await world.start()
    expect(await world.say(prompt)).toEqual([deploy])
    expect(await world.say(prompt)).toEqual([])
  })

  it("looks again when a tool fails, with the error as the question", async () => {
    const world = await openRecallWorld(await create())
    await world.remember("ECONNREFUSED on port 5433 means the postgres tunnel is closed", { project: "shop" })
    await world.say("Please make the checkout page blue")
    const failed = {
      kind: "tool" as const,
      name: "shell",
      text: "> run\nError: connect ECONNREFUSED on port 5433 postgres tunnel\n    at Socket (net.js:1:2)",
      isError: true,
    }
    await world.turn(failed)
    const { memories } = await world.turn({ kind: "tool", name: "shell", text: "ok", isError: false })
    expect(world.contents({ memories })).toEqual([
      "ECONNREFUSED on port 5433 means the postgres tunnel is closed",
    ])
    expect(await world.journal("recall.prepared")).toMatchObject([{ data: { occasion: "failure" } }])
  })

  it("looks again after much output, at another kind of file and at a design question, and gives it to the next prompt", async () => {
    const occasions: [string, Parameters<typeof world.turn>[0][]][] = [
      [
        "length",
        [
          {
            kind: "output",
            text: `${"and so it was that it is all of it ".repeat(70)} the staging flag of the deploy script for production`,
          },
        ],
      ],
      [
        "files",
        [
          { kind: "output", text: "reading", files: ["a.ts"] },
          { kind: "output", text: "deploy script production staging flag", files: ["deploy.sql"] },
        ],
      ],
      [
        "design",
        [
          {
            kind: "output",
            text: `${"So it was that it is all of it. ".repeat(30)} Should we use the staging flag in the deploy script before production?`,
          },
        ],
      ],
    ]
    const world = await openRecallWorld(await create(), { config: { recall: { look_again_tokens: 400 } } })
    await world.remember(deploy, { project: "shop" })
    for (const [occasion, happenings] of occasions) {
      const session = { ...world.session, id: `codex:${occasion}` }
      await world.say("Please make the checkout page blue", session)
      for (const happening of happenings) expect((await world.turn(happening, session)).memories).toEqual([])
      expect(await world.say("go on", session)).toEqual([deploy])
      const prepared = await world.journal("recall.prepared")
      expect(prepared.at(-1)).toMatchObject({ subject: session.id, data: { occasion } })
    }
  })

  it("lets somebody who only looks on prepare, and counts a prompt that two tell of once", async () => {
    const world = await openRecallWorld(await create())
    await world.remember(deploy, { project: "shop" })
    const prompt = { kind: "prompt" as const, text: "How do I run the deploy script for production?" }
    await world.recall.observe(world.session, prompt)
    await world.recall.settled()
    expect(world.contents(await world.turn(prompt))).toEqual([deploy])
    await world.recall.observe(world.session, prompt)
    await world.recall.settled()
    expect(world.recall).toBeDefined()
    const [row] = await world.db.read<{ state: string }>({
      parts: ["select state from recall_states where session = 'codex:one'"],
      values: [],
    })
    expect(JSON.parse(row?.state ?? "{}")).toMatchObject({ turns: 1 })
  })

  it("forgets what it surfaced when the subject changes", async () => {
    const world = await openRecallWorld(await create())
    await world.remember(deploy, { project: "shop" })
    expect(await world.say("How do I run the deploy script for production?")).toEqual([deploy])
    await world.say("New topic: what is the colour of the checkout button on the start page?")
    expect(await world.journal("recall.reset")).toMatchObject([{ data: { reason: "topic" } }])
    expect(
      await world.say("Different question: how does the deploy script know the staging flag for production?"),
    ).toEqual([deploy])
    // What the prompt that changed the subject has just shown is not shown again.
    expect(await world.say("go on")).toEqual([])
  })

  it("drops what a slow search found when the next prompt is about something else", async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const held = "Which staging flag does the deploy script need before production?"
    const embedder = createToyEmbedder({ before: (texts) => (texts.includes(held) ? gate : undefined) })
    const world = await openRecallWorld(await create(), { embedder })
    await world.remember(deploy, { project: "shop" })
    await world.remember(tests, { project: "shop" })
    const late = world.recall.turn(world.session, { kind: "prompt", text: held })
    while (!(await isOver(late))) await world.clock.advance(10)
    expect((await late).memories).toEqual([])
    open()
    await world.recall.settled()
    expect(await world.say("Which docker network do the integration tests need?")).toEqual([tests])
    expect(await world.say("go on")).toEqual([])
  })

  it("keeps prepared memories to itself at a prompt that says it is about something else", async () => {
    const world = await openRecallWorld(await create(), { config: { recall: { wait_ms: 0 } } })
    await world.remember(deploy, { project: "shop" })
    await world.say("How do I run the deploy script for production?")
    expect(await world.say("By the way, which font does the checkout page have in its heading?")).toEqual([])
  })

  it("brings a warning up at once when a prompt has its word", async () => {
    const world = await openRecallWorld(await create())
    const warning = "Never commit .env files"
    await world.remember(warning, { project: "shop", type: "negative", triggers: [".env"] })
    await world.remember("The .env file has the keys of the staging database", { project: "shop" })
    await world.start({ ...world.session, id: "codex:zero" })
    await world.say("Make the checkout page blue")
    const { memories, text } = await world.turn({ kind: "prompt", text: "git add .env and commit it" })
    expect(memories[0]).toMatchObject({ content: warning, via: ["trigger .env"] })
    expect(text.indexOf(warning)).toBeGreaterThan(0)
  })

  it("holds a tool call that would break a prohibition of the user, once", async () => {
    const world = await openRecallWorld(await create())
    const rule = "Never use println! in this code"
    await world.remember(rule, { project: "shop", type: "negative", triggers: ["println!"] })
    await world.remember("An agent thought println! is fine", {
      project: "shop",
      type: "negative",
      source: "observed",
      triggers: ["println!"],
    })
    const call = { kind: "call" as const, name: "Edit", text: 'src/main.rs\nprintln!("{}", total);' }
    await world.say("Make the checkout page blue")
    const { memories, text } = await world.turn(call)
    expect(world.contents({ memories })).toEqual([rule])
    expect(text).toContain("make the call again")
    expect((await world.turn(call)).memories).toEqual([])
    expect((await world.turn({ ...call, text: "let total = 1;" })).memories).toEqual([])
  })

  it("brings a rule up after a tool whose input has its word, or an output that has it", async () => {
    const world = await openRecallWorld(await create(), { config: { recall: { hold_tool_calls: false } } })
    const rule = "Never use println! in this code"
    await world.remember(rule, { project: "shop", type: "negative", triggers: ["println!"] })
    await world.say("Make the checkout page blue")
    const call = { kind: "call" as const, name: "Edit", text: "println!()" }
    expect((await world.turn(call)).memories).toEqual([])
    const tool = { kind: "tool" as const, name: "Edit", text: "done", isError: false }
    expect(world.contents(await world.turn({ ...tool, input: "println!()" }))).toEqual([rule])
    const second = { ...world.session, id: "codex:second" }
    await world.say("Make the checkout page blue", second)
    await world.turn({ kind: "output", text: "I will print it with println! now" }, second)
    expect(world.contents(await world.turn(tool, second))).toEqual([rule])
  })

  it("keeps no word of a memory beside the memory itself, so that purging it purges it everywhere", async () => {
    const world = await openRecallWorld(await create(), { config: { recall: { wait_ms: 0 } } })
    const { id = "" } = (await world.remember(deploy, {
      project: "shop",
      type: "negative",
      triggers: ["stagingflagword"],
    })) as { id?: string }
    await world.start({ ...world.session, id: "codex:two" })
    await world.say("How do I run the deploy script for production?")
    const stored = async () =>
      JSON.stringify(await world.db.read({ parts: ["select * from recall_states"], values: [] }))
    expect(await stored()).toContain(id)
    expect(await stored()).not.toContain("staging flag before")
    await world.act((needs, by) => purgeMemories(needs, { ids: [id] }, by))
    expect(await stored()).not.toContain("stagingflagword")
    expect(await world.say("go on")).toEqual([])
  })

  it("gives a memory once to tools that run at once", async () => {
    const world = await openRecallWorld(await create(), { config: { recall: { wait_ms: 0 } } })
    await world.remember(deploy, { project: "shop" })
    await world.say("How do I run the deploy script for production?")
    const tool = { kind: "tool" as const, name: "shell", text: "ok", isError: false }
    const answers = await Promise.all([1, 2, 3].map(() => world.recall.turn(world.session, tool)))
    expect(answers.flatMap(({ memories }) => memories)).toHaveLength(1)
  })

  it("finishes looking before a session is over", async () => {
    const world = await openRecallWorld(await create(), { config: { recall: { wait_ms: 0 } } })
    await world.remember(deploy, { project: "shop" })
    const prompt = { kind: "prompt" as const, text: "How do I run the deploy script for production?" }
    await world.recall.turn(world.session, { ...prompt, text: "Tell me about fonts" })
    await world.recall.turn(world.session, prompt)
    await world.recall.end(world.session)
    await world.recall.settled()
    expect(await world.say("go on", world.session, world.reopen())).toEqual([deploy])
  })

  it("never stores a secret of a prompt", async () => {
    const world = await openRecallWorld(await create())
    const secret = "ghp_Zq81kfP0TrVn3xWb5LmYc7Ud9AeHs2Gj4Ko6"
    await world.say(`Use the token ${secret} for what? The deploy of the staging server to production`)
    const rows = await world.db.read({
      parts: ["select * from recall_states where session = 'codex:one'"],
      values: [],
    })
    const gaps = await world.db.read({ parts: ["select * from gaps"], values: [] })
    expect(rows).toHaveLength(1)
    expect(gaps).toHaveLength(1)
    expect(JSON.stringify([rows, gaps, await world.journal("")])).not.toContain(secret.slice(4))
  })
})
