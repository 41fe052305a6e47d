import { z } from "zod"

/** A text from a model; anything else is empty. */
export const optionalText = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => (text ?? "").trim())

/** An id or name from a model; null if there is none. */
export const optionalId = z
  .union([z.string(), z.number()])
  .nullish()
  .catch(null)
  .transform((id) => (id === null || id === undefined || id === "" ? null : String(id).slice(0, 120)))

/** Resolves an alias in any spelling; undefined for an unknown word. */
export function aliasOf<T>(names: Readonly<Record<string, T>>) {
  return z.string().transform((name) => names[name.toLowerCase().replaceAll(/[^a-z]/g, "")])
}
