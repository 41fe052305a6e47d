import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import type { Answer } from "../../src/llm/choice/access.ts"
import { limitTime } from "../../src/llm/limits/limit-time.ts"
import { describeModelAccess } from "../contract/model-access.ts"
import {
  createBridgeWorld,
  describeWithClients,
  firedFile,
  type ProgramOfTheirs,
  plantedKey,
  plantedToken,
  userMark,
  withTools,
} from "./bridge-world.ts"

/** What every bridge does, each through its real program. */
export function describeBridge(theirs: ProgramOfTheirs): void {
  describeWithClients("As every way to a model", () => {
    describeModelAccess({
      name: theirs.name,
      model: theirs.name === "claude" ? "claude-sonnet-4-5" : "gpt-5.5",
      isProgram: true,
      inItsForm: ({ text = "", calls = [], ...rest }) => ({
        ...rest,
        ...theirs.structured(
          text,
          calls.map(({ name, input }) => ({ tool: name, input: JSON.stringify(input) })),
        ),
      }),
      async open({ silenceMs = 60_000 } = {}) {
        const { server, access } = await createBridgeWorld(theirs)
        return { server, access: limitTime(access, systemClock, silenceMs) }
      },
    })
  })
  describeWithClients(`The bridge to ${theirs.name}`, () => {
    const open = () => createBridgeWorld(theirs)

    /** One plain question, asked once for all the tests that look at what came of it. */
    let asked: ReturnType<typeof askPlainly> | undefined
    const plain = () => {
      asked ??= askPlainly(theirs)
      return asked
    }

    test("gives a plain answer, with what it used", async () => {
      expect((await plain()).answer).toEqual({
        outcome: "answered",
        text: "They bloom.",
        calls: [],
        finish: "stop",
        spent: { input: 120, cachedInput: 40, output: 7, costUsd: null },
        model: expect.any(String),
        readings: [],
      })
    })

    test("gives the model our words alone, and no tool", async () => {
      const { asked, body } = (await plain()).request ?? {}
      expect(asked?.system).toContain("You are a gardener. SYSTEM-MARK")
      expect(asked?.messages.at(-1)).toMatchObject({ text: expect.stringContaining("PROMPT-MARK") })
      expect(asked?.tools).toEqual([])
      expect(JSON.stringify(body)).not.toContain(userMark)
      expect(JSON.stringify(body)).not.toContain("additional_tools")
    })

    test("runs nothing of the user's and leaves nothing behind", async () => {
      expect((await plain()).left).toEqual({ fired: false, sessions: [], runs: [], transcripts: [] })
    })

    test("offers our tools in words, and lets a tool that nobody offered come through as a call", async () => {
      const { server, ask, structured } = await open()
      server.next(structured("", [{ tool: "launch", input: "{}" }]))
      expect(await ask(withTools)).toMatchObject({
        outcome: "answered",
        text: "",
        calls: [{ name: "launch", input: {} }],
      })
      const { asked } = server.requests[0] ?? {}
      expect(asked?.system).toContain("- weather: Tells the weather of a place.")
      // At most its own form of an answer is a tool.
      expect(asked?.tools.map(({ name }) => name).filter((name) => name !== "StructuredOutput")).toEqual([])
    })

    test("takes prose for an answer without calls, at the cost of one request", async () => {
      const { server, ask } = await open()
      server.next({ text: "I just say it." })
      expect(await ask(withTools)).toMatchObject({ outcome: "answered", text: "I just say it.", calls: [] })
    })

    test("asks for plain text where no tool may be called", async () => {
      const { server, ask } = await open()
      server.next({ text: '{"say":"x","calls":[{"tool":"weather","input":"{}"}]}' })
      const answer = await ask({ ...withTools, toolChoice: "none" })
      expect(answer).toMatchObject({ outcome: "answered", calls: [], finish: "stop" })
      expect(server.requests[0]?.asked.tools).toEqual([])
    })

    test("ends at once when it is called off, with every process it started", async () => {
      const { server, ask, groups } = await open()
      server.next({ hang: true })
      const off = new AbortController()
      const answer = ask({ signal: off.signal })
      const request = await server.received(1)
      off.abort()
      expect(failureOf(await answer)).toMatchObject({ kind: "aborted" })
      expect(await request.ended).toBe("abandoned")
      const started = groups()
      expect(started.length).toBeGreaterThan(0)
      await vi.waitFor(() => expect(started.filter(isGroupAlive)).toEqual([]), { timeout: 20_000 })
    })

    test("does not start when it is called off before", async () => {
      const { ask, groups } = await open()
      expect(failureOf(await ask({ signal: AbortSignal.abort() }))).toMatchObject({ kind: "aborted" })
      expect(groups()).toEqual([])
    })

    test("says that the user is not signed in, and asks nothing", async () => {
      const { ask, signOut, access } = await open()
      signOut()
      const failure = failureOf(await ask())
      expect(failure).toMatchObject({
        kind: "auth",
        message: expect.stringContaining("not signed in; run `"),
      })
      expect(await access.signIn(new AbortController().signal)).toBe("none")
    })

    test("does not use a key, which would be billed by use", async () => {
      const { ask, signInByKey, access } = await open()
      signInByKey()
      expect(failureOf(await ask())).toMatchObject({
        kind: "auth",
        message: expect.stringMatching(/API key.*billed by use/),
      })
      expect(await access.signIn(new AbortController().signal)).toBe("key")
    })

    test("says that the program is not there, too old, broken or killed", async () => {
      const instead = (script: string) => createBridgeWorld(theirs, script)
      const { ask, access } = await instead('rm -- "$0"')
      await access.signIn(new AbortController().signal)
      expect(failureOf(await ask())).toMatchObject({
        kind: "unreachable",
        message: expect.stringMatching(/was not found; install \w+.*, or set the path of its program\.$/),
      })
      const old = await instead("echo \"error: unknown option '--json'\" >&2; exit 1")
      expect(failureOf(await old.ask())).toMatchObject({
        kind: "unreachable",
        message: expect.stringContaining("too old"),
      })
      const broken = await instead(`echo "no such library, ${plantedKey}" >&2; exit 3`)
      const failure = failureOf(await broken.ask())
      expect(failure).toMatchObject({
        kind: "malformed",
        message: expect.stringContaining("no such library"),
      })
      expect(failure?.message).not.toContain(plantedKey)
      const killed = await instead("kill -KILL $$")
      expect(failureOf(await killed.ask())?.message).toContain("was ended by SIGKILL")
    })

    test("keeps keys to itself", async () => {
      const world = await open()
      const { server, ask, startedWith, logged } = world
      server.always({ fail: 401, message: `bad token ${plantedToken}` })
      expect(failureOf(await ask())?.message).not.toContain(plantedToken)
      server.always({ fail: 400, message: `what is ${plantedToken}, ${plantedKey}` })
      const answer = await ask()
      expect(failureOf(answer)?.kind).toBe("bad-request")
      const { args, env } = startedWith()
      expect(env).toContain("HOME=")
      expect(env).not.toContain("SOMETHING_ELSE")
      for (const key of [plantedKey, plantedToken]) {
        expect(args + logged() + JSON.stringify(answer)).not.toContain(key)
        expect(env).not.toContain(key)
      }
      expect(args).not.toContain("PROMPT-MARK")
      expect(args).not.toContain("SYSTEM-MARK")
      expect(logged()).not.toContain("PROMPT-MARK")
    })
  })
}

/** Asks for a plain answer, and gives what came of it and what was left behind. */
async function askPlainly(theirs: ProgramOfTheirs) {
  const { server, ask, home, folder } = await createBridgeWorld(theirs)
  server.next({ text: "They bloom.", usage: { input: 120, output: 7, cached: 40 } })
  const answer = await ask()
  const left = {
    fired: existsSync(join(home, firedFile)),
    sessions: sessionsIn(home),
    runs: readdirSync(folder).filter((name) => name.startsWith("run-")),
    transcripts: filesBelow(folder).filter((name) => name.endsWith(".jsonl")),
  }
  return { answer, request: server.requests[0], left }
}

export function failureOf(answer: Answer) {
  return answer.outcome === "failed" ? answer.failure : undefined
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String)
}

/** Transcripts in the places where the programs keep them. */
function sessionsIn(home: string): string[] {
  return filesBelow(home).filter((name) => /(projects|sessions)\/.*\.jsonl/.test(name))
}
