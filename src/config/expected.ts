import { z } from "zod"

/** Words in the names of keys that state the unit. */
const units: Record<string, string> = {
  ms: "milliseconds",
  seconds: "seconds",
  minutes: "minutes",
  hours: "hours",
  days: "days",
  tokens: "tokens",
  mb: "megabytes",
}

/** Describes the valid values by the type and the name of a key; undefined if they do not say enough. */
export function expectedValue(type: z.ZodType, name: string): string | undefined {
  const inner = type instanceof z.ZodDefault ? type.unwrap() : type
  if (inner instanceof z.ZodBoolean) return "true or false"
  if (inner instanceof z.ZodEnum) return `${inner.options.slice(0, -1).join(", ")} or ${inner.options.at(-1)}`
  if (!(inner instanceof z.ZodNumber)) return undefined
  return `${countedIn(name, inner.format === "safeint")} from ${inner.minValue} to ${inner.maxValue}`
}

function countedIn(name: string, isWhole: boolean): string {
  const words = (name.split(".").at(-1) ?? "").split("_")
  if (words.includes("usd")) return "an amount of US dollars"
  const unit = words.flatMap((word) => units[word] ?? [])[0]
  return `a ${isWhole ? "whole " : ""}number${unit === undefined ? "" : ` of ${unit}`}`
}
