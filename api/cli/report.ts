/** Reports, such as that of `doctor`, which format their own text. */
import type { BareRun } from './command.ts'
import { asJson } from './print.ts'

export interface Report {
  readonly text: string
  readonly json: object
  /** 1 if there are problems. */
  readonly code: 0 | 1
}

/** Prints a report. The command ends with its exit code. */
export function printReport(
  { flags, write, fail }: BareRun,
  { text, json, code }: Report,
): undefined {
  write(flags.json === true ? asJson(json) : text)
  if (code === 1) fail()
  return undefined
}
