import { forBoth } from "./migration.ts"

/** What agents took out of sight over MCP, so that their limit outlives connections and daemons. */
export const agentLosses = {
  version: 8,
  name: "agent-losses",
  ...forBoth(`
    create table agent_losses (
      install text not null, session text not null, operation text not null, memory text not null, at bigint not null
    );
    create index agent_losses_by_time on agent_losses (install, at);
  `),
}
