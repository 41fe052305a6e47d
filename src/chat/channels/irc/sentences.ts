/** Why we are not in a channel, by the library's name of the error; undefined where it is about something else. */
export function joinProblem(error: string, channel: string): string | undefined {
  switch (error) {
    case "bad_channel_key":
      return `${channel} needs another key: put it behind the channel's name in chat.irc.channels.`
    case "invite_only_channel":
      return `${channel} is for invited people only: ask its operators to invite the bot.`
    case "banned_from_channel":
      return `The bot is banned from ${channel}: ask its operators, or take it out of chat.irc.channels.`
    case "channel_is_full":
      return `${channel} is full.`
    case "too_many_channels":
      return `The IRC server lets us into no more channels than we are in; ${channel} is left out.`
    default:
      return undefined
  }
}

export const notConnected = "There is no connection to IRC at the moment."
