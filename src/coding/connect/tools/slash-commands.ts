import { join } from "node:path"
import { shellQuoted } from "../../../base/text/text.ts"
import { type CommandForm, type ConnectHost, reverieVariables } from "../connectable.ts"
import { readText } from "../files.ts"
import { ownFile, type SettingsFile } from "../settings/settings-file.ts"

/** The line that marks a command's file as ours. */
const mark = "Written by `reverie connect`; `reverie connect TOOL --uninstall` removes it."

/** A command that the user can call by name in a session. */
interface SlashCommand {
  name: string
  description: string
  /** The instructions for the agent; `run` is the command line of `reverie`. */
  body(run: string): string
}

const commands: readonly SlashCommand[] = [
  {
    name: "ambient",
    description: "Show the state of Reverie's tending: status, queue, last cycle, next wake, budget",
    body: (run) => `Run this in the shell and show me what it prints as it is, in a code block:

    ${run} status

If I wrote words of my own with this command, such as \`pause --for 2h\`, \`resume\`, \`queue\` or \`cycles\`, run it
with these instead of \`status\`. Change nothing else, and read no other files.`,
  },
  {
    name: "consolidate",
    description: "Have Reverie tend its memory now, and report what it did",
    body: (run) => `Run this in the shell. It can take some minutes, so let it have ten:

    ${run} wake --wait

Then tell me in a few sentences what changed and what it cost, and name the command that undoes it. If it was
cut off, \`${run} cycles\` shows what came of it. If it failed, tell me why. Do nothing else.`,
  },
]

/** Markdown with front matter, for Claude Code and opencode. */
export const markdownCommands: CommandForm = {
  file: (name) => `commands/${name}.md`,
  text: ({ description, body }) =>
    `---\n# ${mark}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`,
}

/** The same for Claude Code, which must not call a command by itself. */
export const claudeCommands: CommandForm = {
  ...markdownCommands,
  text: (command) =>
    markdownCommands
      .text(command)
      .replace("\ndescription:", "\ndisable-model-invocation: true\ndescription:"),
}

/** Codex no longer has custom commands; the user calls a skill by $ and its name. */
export const codexSkills: CommandForm = {
  file: (name) => `skills/${name}/SKILL.md`,
  text: ({ name, description, body }) => {
    const limited = JSON.stringify(`${description}. Only when the user asks for it by name.`)
    return `---\n# ${mark}\nname: ${name}\ndescription: ${limited}\n---\n\n${body}\n`
  },
}

/** TOML, for Gemini CLI. */
export const geminiCommands: CommandForm = {
  file: (name) => `commands/${name}.toml`,
  text: ({ description, body }) =>
    `# ${mark}\ndescription = ${JSON.stringify(description)}\nprompt = ${JSON.stringify(body)}\n`,
}

/** The files of our commands in a tool's folder, except where the user has a command of the same name. */
export function slashCommands(host: ConnectHost, folder: string, form: CommandForm): SettingsFile[] {
  return commands.flatMap(({ name, description, body }) => {
    const file = join(folder, form.file(name))
    if (isUsersOwn(file)) return []
    const text = form.text({ name, description, body: body(runText(host)) })
    return [{ ...ownFile(file, mark, text, "command"), isOptional: true }]
  })
}

/** A sentence for each command that is not written because the user has one of the same name. */
export function skippedCommands(folder: string, form: CommandForm): string[] {
  return commands.flatMap(({ name }) => {
    const file = join(folder, form.file(name))
    return isUsersOwn(file)
      ? [`${file} is yours and was left as it is, so Reverie's command \`${name}\` is not installed.`]
      : []
  })
}

function isUsersOwn(file: string): boolean {
  const text = readText(file)
  return text !== undefined && text.trim() !== "" && !text.includes(mark)
}

/** The command line that runs `reverie` from any folder. */
function runText({ reverie, env }: ConnectHost): string {
  const variables = Object.entries(reverieVariables(env)).map(
    ([name, value]) => `${name}=${shellQuoted(value)}`,
  )
  return [...variables, ...reverie.map(shellQuoted)].join(" ")
}
