import { InvalidArgumentError } from "commander"

/** Checks an option's value: a whole number from 1 to the most that makes sense. */
export function wholeNumber(most: number): (value: string) => number {
  return (value) => {
    if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= most) return Number(value)
    throw new InvalidArgumentError(`Give a whole number from 1 to ${most}.`)
  }
}
