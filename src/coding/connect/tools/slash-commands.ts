import { join } from "node:path"
import { type ConnectWorld, ownVariables } from "../connectable.ts"
import { readText } from "../files.ts"
import { shellQuoted } from "../hook-command.ts"
import { ownFile, type SettingsFile } from "../settings/settings-file.ts"

/** By these words a command's file is known as ours. */
const mark = "Written by `reverie connect`; `reverie connect TOOL --uninstall` removes it."

/** Something the user can ask for by name in the middle of a session. */
interface SlashCommand {
  name: string
  description: string
  /** What the agent is told; `run` is how `reverie` is called here. */
  body(run: string): string
}

const commands: readonly SlashCommand[] = [
  {
    name: "ambient",
    description: "Show how Reverie's tending stands: status, queue, last cycle, next wake, budget",
    body: (run) => `Run this in the shell and show me what it prints as it is, in a code block:

    ${run} status

If I wrote words of my own with this command, such as \`pause --for 2h\`, \`resume\`, \`queue\` or \`cycles\`, run it
with these instead of \`status\`. Change nothing else, and read no other files.`,
  },
  {
    name: "consolidate",
    description: "Have Reverie tend its memory now, and tell what it did",
    body: (run) => `Run this in the shell. It can take some minutes, so let it have ten:

    ${run} wake --wait

Then tell me in a few sentences what changed and what it cost, and name the command that undoes it. If it was
cut off, \`${run} cycles\` shows what came of it. If it failed, tell me why. Do nothing else.`,
  },
]

/** How a tool wants its commands written, and where below its folder. */
export interface CommandForm {
  file(name: string): string
  text(command: { name: string; description: string; body: string }): string
}

/** Markdown with a head, as Claude Code and opencode read it. */
export const markdownCommands: CommandForm = {
  file: (name) => `commands/${name}.md`,
  text: ({ description, body }) =>
    `---\n# ${mark}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`,
}

/** The same for Claude Code, which otherwise may start one by itself. */
export const claudeCommands: CommandForm = {
  ...markdownCommands,
  text: (command) =>
    markdownCommands
      .text(command)
      .replace("\ndescription:", "\ndisable-model-invocation: true\ndescription:"),
}

/** Codex has no commands of the user's own any more; a skill is called by $ and its name. */
export const codexSkills: CommandForm = {
  file: (name) => `skills/${name}/SKILL.md`,
  text: ({ name, description, body }) => {
    const told = JSON.stringify(`${description}. Only when the user asks for it by name.`)
    return `---\n# ${mark}\nname: ${name}\ndescription: ${told}\n---\n\n${body}\n`
  },
}

/** TOML, as Gemini CLI reads it. */
export const geminiCommands: CommandForm = {
  file: (name) => `commands/${name}.toml`,
  text: ({ description, body }) =>
    `# ${mark}\ndescription = ${JSON.stringify(description)}\nprompt = ${JSON.stringify(body)}\n`,
}

/** The files of our commands in a tool's folder. One of somebody else's with the same name is left out. */
export function slashCommands(world: ConnectWorld, folder: string, form: CommandForm): SettingsFile[] {
  return commands.flatMap(({ name, description, body }) => {
    const file = join(folder, form.file(name))
    if (isTheirs(file)) return []
    const text = form.text({ name, description, body: body(runText(world)) })
    return [{ ...ownFile(file, mark, text, "command"), isBesides: true }]
  })
}

/** A sentence for each command that could not be written, because one of the user's own has its name. */
export function commandsLeftOut(folder: string, form: CommandForm): string[] {
  return commands.flatMap(({ name }) => {
    const file = join(folder, form.file(name))
    return isTheirs(file)
      ? [`${file} is yours and was left as it is, so there is no \`${name}\` of Reverie's.`]
      : []
  })
}

function isTheirs(file: string): boolean {
  const text = readText(file)
  return text !== undefined && text.trim() !== "" && !text.includes(mark)
}

/** `reverie` as a shell runs it from anywhere. */
function runText({ reverie, env }: ConnectWorld): string {
  const variables = Object.entries(ownVariables(env)).map(([name, value]) => `${name}=${shellQuoted(value)}`)
  return [...variables, ...reverie.map(shellQuoted)].join(" ")
}
