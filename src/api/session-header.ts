/** The header that names the session of an agent. */
export const sessionHeader = "x-reverie-session"
