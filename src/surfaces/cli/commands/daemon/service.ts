import { existsSync, readFileSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { type Command, Option } from "commander"
import { isDaemonUp } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import { makeFolders, makePrivateFolder, writeAtomically } from "../../../../base/files/files.ts"
import { type Definition, defineService, type Manager } from "../../../service/definition.ts"
import { authorOf } from "../../../service/seal.ts"
import { managerHere, type ServiceManager, serviceManager } from "../../../service/systemd-launchd.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"

interface InstallOptions {
  start: boolean
  force?: boolean
}

/** `reverie service …` */
export function serviceCommand(program: Command, needs: CliNeeds): void {
  const service = program
    .command("service")
    .description("let the system start the daemon when you log in (systemd, launchd)")
  service
    .command("install")
    .description("write the service and start it")
    .option("--no-start", "start it only at the next login")
    .option("--force", "overwrite a file that somebody else wrote or edited")
    .action((options: InstallOptions) => install(needs, options))
  service
    .command("uninstall")
    .description("stop the service and remove it")
    .option("--force", "remove a file that somebody edited, too")
    .action((options: { force?: boolean }) => uninstall(needs, options.force ?? false))
  service
    .command("status")
    .description("show the service's status")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) => showStatus(needs, options.json ?? false))
  service
    .command("print")
    .description("print the service's file, and change nothing")
    .addOption(new Option("--for <manager>", "for this one").choices(["systemd", "launchd"]))
    .action((options: { for?: Manager }) =>
      needs.output.data(defineService(needs, options.for ?? managerHere()).text.trimEnd()),
    )
}

function serviceOf(needs: CliNeeds): { definition: Definition; manager: ServiceManager } {
  const definition = defineService(needs, managerHere())
  return { definition, manager: serviceManager(definition, needs.env.userId) }
}

async function install(needs: CliNeeds, { start, force = false }: InstallOptions): Promise<void> {
  const { definition, manager } = serviceOf(needs)
  const { file, text } = definition
  const problem = manager.problem()
  if (problem !== undefined) {
    const advice = "`reverie start` runs the daemon without one, `reverie service print` shows the file."
    throw new UserError("failed", `No service was installed, because ${problem}; ${advice}`)
  }
  if (!force) refuseOthers(file, "overwritten")
  if (start && !manager.isActive() && (await isDaemonUp(needs.paths.socket)))
    throw new UserError(
      "conflict",
      "The daemon already runs without a service; stop it with `reverie stop`, or give --no-start.",
    )
  makePrivateFolder(dirname(needs.paths.logFile))
  makeFolders(dirname(file))
  writeAtomically(file, text)
  manager.install(start)
  const when = start ? "runs now and" : "runs"
  needs.output.say(`The daemon ${when} whenever you log in. \`reverie service uninstall\` ends that.`)
  needs.output.data(file)
  const hint = manager.hint()
  if (hint !== undefined) needs.output.say(hint)
  if (needs.env.databaseUrl !== undefined)
    needs.output.say(
      "The service does not know REVERIE_DATABASE_URL; set storage.url in the configuration instead.",
    )
}

function refuseOthers(file: string, what: string): void {
  if (!existsSync(file)) return
  const whose = authorOf(readFileSync(file, "utf8"))
  if (whose === "ours") return
  const why = whose === "edited" ? "it was edited" : "it is not Reverie's"
  throw new UserError(
    "refused",
    `${file} is not ${what}, because ${why}; give --force if that is what you want.`,
  )
}

function uninstall(needs: CliNeeds, force: boolean): void {
  const { definition, manager } = serviceOf(needs)
  if (!existsSync(definition.file))
    return void needs.output.say("No service is installed; nothing was changed.")
  if (!force) refuseOthers(definition.file, "removed")
  const isReachable = manager.problem() === undefined
  if (isReachable) manager.disable()
  rmSync(definition.file)
  if (isReachable) manager.reload()
  needs.output.say(`Removed ${definition.file}. \`reverie start\` still runs the daemon by hand.`)
}

function showStatus(needs: CliNeeds, json: boolean): void {
  const { definition, manager } = serviceOf(needs)
  const { file, name } = definition
  const written = existsSync(file) ? readFileSync(file, "utf8") : undefined
  const state = stateOf(written, definition.text)
  const problem = manager.problem() ?? null
  const isReachable = problem === null
  const answer = {
    schemaVersion: 1,
    manager: definition.manager,
    name,
    file,
    state,
    active: isReachable && manager.isActive(),
    enabled: isReachable && manager.isEnabled(),
    problem,
  }
  if (json) return void needs.output.json(answer)
  const rows = [
    ["service", `${name} (${definition.manager})`],
    ["file", `${file} (${state})`],
    ["running", answer.active ? "yes" : "no"],
    ["at login", answer.enabled ? "yes" : "no"],
  ]
  needs.output.data(table(rows, needs.output.width))
  if (problem !== null) needs.output.say(`Its state is unknown: ${problem}.`)
}

function stateOf(written: string | undefined, wanted: string): string {
  if (written === undefined) return "not installed"
  const whose = authorOf(written)
  if (whose === "theirs") return "not Reverie's"
  if (whose === "edited") return "edited"
  return written === wanted ? "installed" : "installed by another version or from another folder"
}
