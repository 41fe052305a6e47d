/** How the user calls the program, as a shell takes it. */
export function calledAs(command: string): string {
  return /^[\w./~-]+$/.test(command) ? command : `'${command}'`
}

/** A text whose hints can be copied: what other layers call \`reverie …\` is named as the user calls it. */
export function withCalledName(text: string, command: string): string {
  return text.replaceAll(/`reverie(?=[ `])/g, () => `\`${calledAs(command)}`)
}
