import type { Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { count } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { wholeNumber } from "../../whole-number.ts"
import { chatRehearseCommand } from "./rehearse.ts"
import { chatSetupCommand } from "./setup.ts"
import { chatSourcesCommand } from "./sources.ts"
import { chatTerminalCommand } from "./terminal.ts"
import { chatThoughtsCommand } from "./thoughts.ts"

interface Json {
  json?: boolean
}

const channelHelp = "CHANNEL, PLATFORM/CHANNEL or PLATFORM/COMMUNITY/CHANNEL"

/** `reverie chat …` */
export function chatCommand(program: Command, needs: CliNeeds): void {
  const chat = program.command("chat").description("connect chat channels, and see what Reverie does in them")
  chatSetupCommand(chat, needs)
  chatTerminalCommand(chat, needs)
  chat
    .command("policy")
    .description("show what Reverie would do in a channel, and with a message there")
    .argument("<channel>", channelHelp)
    .option("--message <text>", "a message to try")
    .option("--user <id>", "if this person said it")
    .option("--json", "answer in JSON")
    .action((channel: string, options: PolicyOptions) => policy(needs, channel, options))
  chat
    .command("why")
    .description("show why Reverie answered, stayed silent or did nothing")
    .argument("[message]", "the platform's id of a message, of somebody or of its own")
    .option("--last", "about the last decision")
    .option("--channel <channel>", `only in this channel: ${channelHelp}`)
    .option("--json", "answer in JSON")
    .action((message: string | undefined, options: WhyOptions) => why(needs, message, options))
  chat
    .command("stats")
    .description("show messages, model calls, answers, silences and cost of each channel")
    .option("--days <days>", "how many days back, today included", wholeNumber(3660), 7)
    .option("--json", "answer in JSON")
    .action((options: Json & { days: number }) => stats(needs, options))
  chatSourcesCommand(chat, needs)
  chatThoughtsCommand(chat, needs)
  chatRehearseCommand(chat, needs)
  chat
    .command("mute")
    .description("neither listen nor answer in a channel, until it is unmuted")
    .argument("[channel]", channelHelp)
    .option("--all", "everywhere, also in channels that it comes to later")
    .option("--off", "listen and answer again")
    .option("--json", "answer in JSON")
    .action((channel: string | undefined, options: MuteOptions) => mute(needs, channel, options))
}

type PolicyOptions = Json & { message?: string; user?: string }

async function policy(needs: CliNeeds, channel: string, { json, ...asked }: PolicyOptions): Promise<void> {
  const answer = await withClient(needs, (client) => client.chatPolicy({ channel, ...asked }))
  if (json) return needs.output.json(answer)
  needs.output.data([`In ${answer.room}:`, ...answer.sentences.map((one) => `  ${one}`)].join("\n"))
}

type WhyOptions = Json & { last?: boolean; channel?: string }

async function why(needs: CliNeeds, message: string | undefined, options: WhyOptions): Promise<void> {
  const { json, last, channel } = options
  if ((message === undefined) === !last)
    throw new UserError("usage", "Name a message by its id, or give --last; one of the two.")
  const answer = await withClient(needs, (client) => client.chatWhy({ message, channel }))
  if (json) return needs.output.json(answer)
  const rows = answer.decisions.map(({ at, room, text }) => [at.slice(0, 19).replace("T", " "), room, text])
  needs.output.data(table(rows, needs.output.width))
}

async function stats(needs: CliNeeds, { json, days }: Json & { days: number }): Promise<void> {
  const answer = await withClient(needs, (client) => client.chatStats({ days }))
  if (json) return needs.output.json(answer)
  const { rooms, total, since } = answer
  if (rooms.length === 0) return needs.output.say(`Nothing was said in any chat channel since ${since}.`)
  const row = (name: string, one: typeof total) => [
    name,
    String(one.messages),
    String(one.calls),
    String(one.replies),
    String(one.silences),
    `$${one.usd.toFixed(4)}`,
  ]
  const head = ["channel", "messages", "calls", "answers", "silent", "cost"]
  const lines = rooms.map(({ room, ...counts }) => row(room, counts))
  const sum = rooms.length > 1 ? [row(`${count(rooms.length, "channel")} since ${since}`, total)] : []
  needs.output.data(table([head, ...lines, ...sum], needs.output.width))
}

type MuteOptions = Json & { all?: boolean; off?: boolean }

async function mute(needs: CliNeeds, channel: string | undefined, options: MuteOptions): Promise<void> {
  const { json, all = false, off = false } = options
  if ((channel === undefined) === !all)
    throw new UserError("usage", "Name a channel, or give --all; one of the two.")
  const answer = await withClient(needs, (client) => client.chatMute({ channel, off }))
  if (json) return needs.output.json(answer)
  const where = answer.rooms === null ? "everywhere" : `in ${answer.rooms.join(", ")}`
  const undo = off ? "" : ` \`reverie chat mute ${all ? "--all" : `'${channel}'`} --off\` ends it.`
  needs.output.say(`${off ? "It listens and answers again" : "It is muted"} ${where}.${undo}`)
}
