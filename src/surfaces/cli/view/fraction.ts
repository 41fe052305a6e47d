import { InvalidArgumentError } from "commander"

/** Checks an option's value: a number from 0 to 1. */
export function fraction(value: string): number {
  const number = Number(value)
  if (value.trim() !== "" && number >= 0 && number <= 1) return number
  throw new InvalidArgumentError("Give a number from 0 to 1.")
}
