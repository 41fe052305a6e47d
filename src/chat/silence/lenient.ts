import { z } from "zod"

/** A text as sloppy models give it: anything else is empty. */
export const optionalText = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => (text ?? "").trim())

/** An id or name; null where there is none. */
export const optionalId = z
  .union([z.string(), z.number()])
  .nullish()
  .catch(null)
  .transform((id) => (id === null || id === undefined || id === "" ? null : String(id).slice(0, 120)))

/** What a model's word stands for, however it is written; undefined for a word that is not known. */
export function namedBy<T>(names: Readonly<Record<string, T>>) {
  return z.string().transform((name) => names[name.toLowerCase().replaceAll(/[^a-z]/g, "")])
}
