export const botPage = "https://discord.com/developers/applications"

export const wrongToken =
  "Discord refuses the bot's token; make a new one at the bot's page and run `reverie chat setup discord`."

export const missingIntent = `Discord does not let the bot read messages: switch on "Message Content Intent" at ${botPage} (your application, Bot), then \`reverie restart\`.`

export const emptyContent = `Discord leaves out the content of messages, because "Message Content Intent" is off or was not granted; switch it on at ${botPage} (your application, Bot), then \`reverie restart\`.`

export const notConnected = "There is no connection to Discord at the moment."

/** The meaning of a gateway close code after which retrying does not help. */
export function closeReason(code: number): string {
  if (code === 4004) return wrongToken
  if (code === 4014) return missingIntent
  if (code === 4011)
    return "Discord requires sharding for this bot: it is in too many servers for one connection."
  return `Discord closed the connection for good (code ${code}).`
}

/** Why Discord refused a request, by its error code. */
export function refusalReason(code: number | string, status: number, message: string): string {
  switch (code) {
    case 50_001:
      return "Discord does not let the bot see this channel: give its role View Channel there."
    case 50_013:
      return "Discord does not let the bot write here: give its role Send Messages (and Send Messages in Threads) in this channel."
    case 50_007:
      return "This user accepts no private messages from the bot."
    case 50_033:
      return "Discord knows no user with this id."
    case 10_003:
      return "This channel does not exist any more."
    case 10_008:
      return "This message does not exist any more."
    case 50_083:
      return "This thread is archived."
    case 160_005:
      return "This thread is locked."
    default:
      return status === 401 ? wrongToken : `Discord refused it: ${message} (${code}).`
  }
}
