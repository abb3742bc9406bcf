import { InvalidArgumentError, Option } from 'commander'

/** Parses a command line value as an integer between two inclusive bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(min <= number && number <= max)) {
      throw new InvalidArgumentError(`Must be an integer from ${min} to ${max}.`)
    }
    return number
  }
}

/** An option of earlier versions: it works, and `--help` does not list it. */
export function formerName(flags: string, parse: (text: string) => number): Option {
  return new Option(flags).argParser(parse).hideHelp()
}
