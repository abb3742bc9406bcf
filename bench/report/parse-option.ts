import { InvalidArgumentError } from 'commander'

/** Reads a command line value as a whole number between two bounds, both allowed. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(min <= number && number <= max)) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return number
  }
}
