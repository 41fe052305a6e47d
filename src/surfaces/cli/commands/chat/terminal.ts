import { Writable } from "node:stream"
import type { Command } from "commander"
import type { TerminalRoom } from "../../../../activities/listen/terminal-room.ts"
import { UserError } from "../../../../base/errors.ts"
import type { RoomRef } from "../../../../chat/channels/channel.ts"
import type { ChatEntry } from "../../../../chat/conversation/effect.ts"
import type { CliNeeds } from "../../needs.ts"
import { wholeNumber } from "../../option-values.ts"

interface TerminalOptions {
  as: string
  interval: number
  show?: boolean
  json?: boolean
}

/** `reverie chat terminal` */
export function chatTerminalCommand(chat: Command, needs: CliNeeds): void {
  chat
    .command("terminal")
    .description("open a chat room in this terminal in which you play everybody; needs no account")
    .option("--as <name>", "who speaks if a line names nobody", "ann")
    .option("--interval <seconds>", "how long to wait after a message not to Reverie", wholeNumber(3600), 10)
    .option("--show", "show the prompts of the model")
    .option("--json", "print one JSON object per line: messages and decisions")
    .action((options: TerminalOptions) => openRoom(needs, options))
}

/** The decisions that are shown besides the messages. */
const shownKinds: ReadonlySet<string> = new Set([
  ...["chat.silenced", "chat.held", "chat.failed", "chat.dropped", "chat.refused", "chat.muted"],
  ...["chat.unmuted", "chat.command-refused", "chat.forgotten", "chat.restarted"],
])

async function openRoom(needs: CliNeeds, options: TerminalOptions): Promise<void> {
  const { interval } = options
  if (options.as.trim() === "") throw new UserError("usage", "The name after --as is empty; give one.")
  const { sentenceOf } = await import("../../../../activities/listen/explain/message.ts")
  const local = await needs.openLocal()
  const { name } = local.config.chat
  let room: TerminalRoom | undefined
  const json = (line: object) => needs.output.data(JSON.stringify({ schemaVersion: 1, ...line }))
  const said = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const text = String(chunk).trimEnd()
      if (!options.json) needs.output.data(text)
      else if (!text.startsWith("(")) json({ kind: "said", text: text.replace(/^\[\d+\] [^:]+: /, "") })
      done()
    },
  })
  const onEntry = (entry: ChatEntry, { channel }: RoomRef) => {
    if (options.json) return json({ kind: entry.kind, channel, reason: entry.reason })
    if (shownKinds.has(entry.kind))
      needs.output.say(`  · ${sentenceOf(entry.kind, { reason: entry.reason })}`)
  }
  const onShown = (text: string) => {
    if (options.json) return json({ kind: "shown", text })
    if (options.show || room?.noModel !== undefined) needs.output.say(indented(text))
  }
  const interrupted = Promise.withResolvers<void>()
  const onInterrupt = () => interrupted.resolve()
  process.once("SIGINT", onInterrupt)
  try {
    room = await local.openTerminalRoom({
      ...{ input: needs.input, output: said, speaker: options.as, interval, onEntry, onPrompt: onShown },
    })
    if (!options.json) greet(needs, name, options.as, room.noModel)
    else if (room.noModel !== undefined) json({ kind: "no-model", reason: room.noModel })
    await Promise.race([room.ended, interrupted.promise])
  } finally {
    process.off("SIGINT", onInterrupt)
    await room?.close()
    await local.close()
  }
}

function greet({ output }: CliNeeds, name: string, speaker: string, noModel: string | undefined): void {
  output.say(`You are in a room with ${name}. A line is said by ${speaker}; "bob: hello" is said by bob.`)
  output.say(
    `"${name}, …" addresses it. ">3 …" replies to message 3, "/private …" is said to it alone. Ctrl-D ends it.`,
  )
  if (noModel !== undefined)
    output.say(`${noModel} So it stays silent, and you see its prompts; \`reverie models\` helps.`)
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  │ ${line}`)
    .join("\n")
}
