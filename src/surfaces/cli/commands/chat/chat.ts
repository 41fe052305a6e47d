import type { Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { count } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { wholeNumber } from "../../option-values.ts"
import { table } from "../../output.ts"
import { chatRehearseCommand } from "./rehearse.ts"
import { chatSetupCommand } from "./setup.ts"
import { chatSourcesCommand } from "./sources.ts"
import { chatTerminalCommand } from "./terminal.ts"
import { chatThoughtsCommand } from "./thoughts.ts"

const channelHelp = "CHANNEL, PLATFORM/CHANNEL or PLATFORM/COMMUNITY/CHANNEL"

/** `reverie chat …` */
export function chatCommand(program: Command, needs: CliNeeds): void {
  const chat = program.command("chat").description("connect chat channels, and see what Reverie does in them")
  chatSetupCommand(chat, needs)
  chatTerminalCommand(chat, needs)
  policyCommand(chat, needs)
  whyCommand(chat, needs)
  statsCommand(chat, needs)
  chatSourcesCommand(chat, needs)
  chatThoughtsCommand(chat, needs)
  chatRehearseCommand(chat, needs)
  muteCommand(chat, needs)
}

function policyCommand(chat: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    chat
      .command("policy")
      .description("show what Reverie would do in a channel, and with a message there")
      .argument("<channel>", channelHelp)
      .option("--message <text>", "a message to try")
      .option("--user <id>", "as if this user had written it"),
    (client, channel: string, { message, user }: { message?: string; user?: string }) =>
      client.chatPolicy({ channel, message, user }),
    ({ room, sentences }) => needs.output.data([`In ${room}:`, ...sentences].join("\n  ")),
  )
}

function whyCommand(chat: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    chat
      .command("why")
      .description("show why Reverie answered, stayed silent or did nothing")
      .argument("[message]", "the platform's id of a message")
      .option("--last", "about the last decision")
      .option("--channel <channel>", `only in this channel: ${channelHelp}`),
    (client, message: string | undefined, { last, channel }: { last?: boolean; channel?: string }) => {
      if ((message === undefined) === !last)
        throw new UserError("usage", "Give the id of a message, or --last; one of the two.")
      return client.chatWhy({ message, channel })
    },
    ({ decisions }) => {
      const rows = decisions.map(({ at, room, text }) => [at.slice(0, 19).replace("T", " "), room, text])
      needs.output.data(table(rows, needs.output.width))
    },
  )
}

function statsCommand(chat: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    chat
      .command("stats")
      .description("show messages, model calls, answers, silences and cost of each channel")
      .option("--days <days>", "how many days back, today included", wholeNumber(3660), 7),
    (client, { days }: { days: number }) => client.chatStats({ days }),
    ({ rooms, total, since }) => {
      if (rooms.length === 0)
        return needs.output.say(`There were no messages in any chat channel since ${since}.`)
      const row = (name: string, { messages, calls, replies, silences, usd }: typeof total) => [
        ...[name, ...[messages, calls, replies, silences].map(String), `$${usd.toFixed(4)}`],
      ]
      const head = ["channel", "messages", "calls", "answers", "silent", "cost"]
      const lines = rooms.map(({ room, ...counts }) => row(room, counts))
      const sum = rooms.length > 1 ? [row(`${count(rooms.length, "channel")} since ${since}`, total)] : []
      needs.output.data(table([head, ...lines, ...sum], needs.output.width))
    },
  )
}

function muteCommand(chat: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    chat
      .command("mute")
      .description("neither listen nor answer in a channel, until you unmute it")
      .argument("[channel]", channelHelp)
      .option("--all", "in all channels, also in those it joins later")
      .option("--off", "listen and answer again"),
    (client, channel: string | undefined, { all = false, off }: { all?: boolean; off?: boolean }) => {
      if ((channel === undefined) === !all)
        throw new UserError("usage", "Name a channel, or give --all; one of the two.")
      return client.chatMute({ channel, off })
    },
    ({ rooms }, channel, { off }) => {
      const where = rooms === null ? "everywhere" : `in ${rooms.join(", ")}`
      const undo = `\`reverie chat mute ${channel === undefined ? "--all" : `'${channel}'`} --off\` unmutes it.`
      needs.output.say(
        off ? `Reverie listens and answers again ${where}.` : `Reverie is muted ${where}. ${undo}`,
      )
    },
  )
}
