import { orphansMax, type RoundResult } from './run-round.ts'

export function isPassed(result: RoundResult, plan: { readonly kills: number }): boolean {
  return (
    result.accounting['state'] === 'sent' &&
    result.kills === plan.kills &&
    result.twice.length === 0 &&
    result.lost.length === 0 &&
    result.wronglyUnsent.length === 0 &&
    result.unbalanced.length === 0 &&
    result.uncertain <= result.inFlight &&
    result.orphansMost <= orphansMax
  )
}

const shownMax = 5

export function describeRound(result: RoundResult): string {
  const list = (name: string, entries: readonly string[]) =>
    `${name}: ${entries.length}${entries.length === 0 ? '' : ` (${entries.slice(0, shownMax).join('; ')})`}`
  return [
    `${result.taken} emails accepted in ${result.seconds.toFixed(1)} s, ${result.kills} kills`,
    list('twice', result.twice),
    list('lost without a result', result.lost),
    list('accepted but not recorded as sent', result.wronglyUnsent),
    list('unbalanced', result.unbalanced),
    `uncertain: ${result.uncertain} of ${result.inFlight} in flight; a killed process left ${result.orphansMost}, at most ${orphansMax}`,
    `accounting: ${JSON.stringify(result.accounting)}`,
  ].join('\n')
}
