import { isoTime } from "../../base/clock.ts"

/** A record as JSON: the fields `at` and `…At` are times, as ISO text. */
export type IsoTimes<T> = { [Key in keyof T]: Key extends "at" | `${string}At` ? Iso<T[Key]> : T[Key] }

type Iso<T> = T extends number ? string : T

/** The same record with its times as ISO text. */
export function isoTimes<T extends object>(record: T): IsoTimes<T> {
  const fields = Object.entries(record).map(([name, value]) => {
    const isTime = /^at$|At$/.test(name) && typeof value === "number"
    return [name, isTime ? isoTime(value) : value]
  })
  return Object.fromEntries(fields) as IsoTimes<T>
}
