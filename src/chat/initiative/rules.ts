import { begin, conclude, delivered, fail, recover } from "./consider.ts"
import { refuse, tick } from "./tick.ts"

/** Everything that changes a community's state, by its name: all of it without side effects. */
export const initiativeRules = { tick, refuse, begin, conclude, delivered, fail, recover }

export type InitiativeRules = typeof initiativeRules
