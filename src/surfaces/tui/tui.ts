import { render } from "ink"
import { createElement } from "react"
import { App } from "./app.ts"
import type { TuiNeeds } from "./needs.ts"

/** Shows the terminal program on a screen of its own until the user leaves it. */
export async function runTui(needs: TuiNeeds): Promise<void> {
  const shown = render(createElement(App, { needs }), {
    stdout: needs.screen,
    stdin: needs.input as unknown as NodeJS.ReadStream,
    alternateScreen: true,
    exitOnCtrlC: true,
    interactive: true,
  })
  await shown.waitUntilExit()
}
