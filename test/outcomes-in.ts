/** Rows of the table `outcomes` as text, one line each: `outcome:reason category quantity`. */
import { readOutcomeRows } from './simulation/row-binary-reader.ts'

export function outcomesIn(rows: Uint8Array): string[] {
  return readOutcomeRows(rows).map(({ outcome, reason, category, quantity }) => {
    const fate = reason === '' ? outcome : `${outcome}:${reason}`
    return `${fate} ${category} ${quantity}`
  })
}
