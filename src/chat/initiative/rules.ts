import { begin, conclude, delivered, fail, recover } from "./consider.ts"
import { refuse, tick } from "./tick.ts"

/** The pure functions that change a community's state; tests replace some. */
export const initiativeRules = { tick, refuse, begin, conclude, delivered, fail, recover }

export type InitiativeRules = typeof initiativeRules
