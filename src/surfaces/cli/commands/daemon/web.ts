import type { Command } from "commander"
import { openBrowser } from "../../../../llm/signin/browser.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"

interface WebOptions {
  print?: boolean
  json?: boolean
}

/** `reverie web` */
export function webCommand(program: Command, needs: CliNeeds): void {
  program
    .command("web")
    .description("open the dashboard in your browser, signed in by a link that works once")
    .option("--print", "print the link instead of opening it")
    .option("--json", "answer in JSON")
    .action((options: WebOptions) => openDashboard(needs, options))
}

async function openDashboard(needs: CliNeeds, { print = false, json = false }: WebOptions): Promise<void> {
  const link = await withClient(needs, (client) => client.webLink())
  if (json) return needs.output.json(link)
  if (!print) openBrowser(link.url)
  needs.output.data(link.url)
  const opened = print
    ? "Open it in your browser."
    : "Opening it in your browser; if nothing opens, use the link."
  needs.output.say(`${opened} It works once, within ten minutes.`)
}
