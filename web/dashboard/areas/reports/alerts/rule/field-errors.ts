/** The rules that fields of a draft break, as the server named them: `when.0.threshold`. */
import type { ProblemDetail } from '../../../../http/problem.ts'

export interface FieldErrors {
  /** Of the field itself, or of something inside it, such as an entry of a list. */
  readonly of: (path: string) => string | undefined
  /** Those of no field on the screen. */
  readonly others: (shown: readonly string[]) => readonly ProblemDetail[]
}

export function fieldErrors(details: readonly ProblemDetail[]): FieldErrors {
  const isWithin = (field: string, path: string) => field === path || field.startsWith(`${path}.`)
  return {
    of: (path) => details.find(({ field }) => isWithin(field, path))?.rule,
    others: (shown) => details.filter(({ field }) => !shown.some((path) => isWithin(field, path))),
  }
}

/** Without those of the fields that were edited since. */
export function withoutSection(
  details: readonly ProblemDetail[],
  section: string,
): readonly ProblemDetail[] {
  return details.filter(({ field }) => field !== section && !field.startsWith(`${section}.`))
}
