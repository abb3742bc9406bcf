import type { RoundResult } from './run-round.ts'

export function isKept(result: RoundResult, plan: { readonly kills: number }): boolean {
  return (
    result.accounting['state'] === 'sent' &&
    result.kills === plan.kills &&
    result.twice.length === 0 &&
    result.lost.length === 0 &&
    result.untold.length === 0 &&
    result.unbalanced.length === 0 &&
    result.uncertain <= result.inFlight
  )
}

const shownMax = 5

export function describeRound(result: RoundResult): string {
  const list = (name: string, entries: readonly string[]) =>
    `${name}: ${entries.length}${entries.length === 0 ? '' : ` (${entries.slice(0, shownMax).join('; ')})`}`
  return [
    `${result.taken} letters taken in ${result.seconds.toFixed(1)} s, ${result.kills} kills`,
    list('twice', result.twice),
    list('lost in silence', result.lost),
    list('taken and called unsent', result.untold),
    list('unbalanced', result.unbalanced),
    `uncertain: ${result.uncertain} of ${result.inFlight} in flight`,
    `books: ${JSON.stringify(result.accounting)}`,
  ].join('\n')
}
