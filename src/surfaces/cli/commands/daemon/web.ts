import type { Command } from "commander"
import { openBrowser } from "../../../../llm/signin/browser.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"

/** `reverie web` */
export function webCommand(program: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    program
      .command("web")
      .description("open the dashboard in your browser, signed in by a link that works once")
      .option("--print", "print the link instead of opening it"),
    (client, _options: { print?: boolean }) => client.webLink(),
    ({ url }, { print }) => {
      if (!print) openBrowser(url)
      needs.output.data(url)
      const how = print
        ? "Open it in your browser."
        : "Opening it in your browser; if nothing opens, use the link."
      needs.output.say(`${how} It works once, within ten minutes.`)
    },
  )
}
