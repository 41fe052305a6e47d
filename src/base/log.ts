import { type Clock, isoTime } from "./clock.ts"

export const logLevels = ["debug", "info", "warn", "error"] as const
type LogLevel = (typeof logLevels)[number]

type LogFields = Record<string, string | number | boolean | null | undefined>

/** The structured log: one JSON line for each message. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** Opens a log that drops everything below its level. */
export function openLog(needs: {
  clock: Clock
  level: LogLevel
  /** Takes one line, without its line break. */
  write(line: string): void
}): Log {
  const lowest = logLevels.indexOf(needs.level)
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (logLevels.indexOf(level) < lowest) return
    needs.write(JSON.stringify({ at: isoTime(needs.clock.now()), level, message, ...fields }))
  }
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
}

/** A log that drops everything, for short commands whose errors go to the user directly. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
