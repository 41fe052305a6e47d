/** Why a channel could not be joined, by the library's error name; undefined for other errors. */
export function joinProblem(error: string, channel: string): string | undefined {
  switch (error) {
    case "bad_channel_key":
      return `${channel} needs a different key: write it after the channel's name in chat.irc.channels.`
    case "invite_only_channel":
      return `${channel} is for invited people only: ask its operators to invite the bot.`
    case "banned_from_channel":
      return `The bot is banned from ${channel}: ask its operators, or take it out of chat.irc.channels.`
    case "channel_is_full":
      return `${channel} is full.`
    case "too_many_channels":
      return `The IRC server allows no more channels; ${channel} was not joined.`
    default:
      return undefined
  }
}

export const notConnected = "There is no connection to IRC at the moment."
