/** How the user calls the program, quoted for a shell. */
export function commandName(command: string): string {
  return /^[\w./~-]+$/.test(command) ? command : `'${command}'`
}

/** Replaces `reverie …` in hints by how the user calls the program, so that they can be copied. */
export function withCommandName(text: string, command: string): string {
  return text.replaceAll(/`reverie(?=[ `])/g, () => `\`${commandName(command)}`)
}
