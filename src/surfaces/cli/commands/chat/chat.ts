import type { Command } from "commander"
import type { CliNeeds } from "../../needs.ts"
import { chatSetupCommand } from "./setup.ts"

/** `reverie chat …` */
export function chatCommand(program: Command, needs: CliNeeds): void {
  const chat = program.command("chat").description("sit in chat channels")
  chatSetupCommand(chat, needs)
}
