/** Why an entry is in the queue, in one sentence. */
import { countOf, formatNumber } from '../../../design/content/format.ts'
import type { IssueActivity, TriageEntry } from '../../../generated/api.d.ts'

export const reasonLabels: Readonly<Record<TriageEntry['reason'], string>> = {
  new: 'New',
  regressed: 'Regressed',
  escalating: 'Escalating',
  returned: 'Returned',
  monitor_failed: 'Monitor failed',
}

const incidents: Readonly<Record<string, string>> = {
  missed: 'did not start in time',
  overrunning: 'runs longer than it may',
  error: 'reported an error',
}

export function reasonText(
  entry: TriageEntry,
  activity: readonly IssueActivity[] | undefined,
): string {
  const { reason, issue, monitor } = entry
  const dataOf = (kind: string) => activity?.findLast((one) => one.kind === kind)?.data ?? {}
  if (monitor !== null) {
    const what = incidents[monitor.incident] ?? 'failed'
    return `The monitor ${monitor.slug} ${what} in ${monitor.environment}.`
  }
  if (reason === 'regressed') {
    const { release, resolved_in: how, resolved_release: resolved } = dataOf('regressed')
    const where = typeof release === 'string' ? ` with ${release}` : ''
    const repaired =
      how === 'release' && typeof resolved === 'string' ? `resolved in ${resolved}` : 'resolved'
    return `It was ${repaired} and came back${where}.`
  }
  if (reason === 'escalating' && issue?.escalation != null) {
    const { count, expected } = issue.escalation
    const usual = formatNumber(Math.round(expected))
    return `${countOf(count, 'event')} in an hour, where ${usual} are usual.`
  }
  if (reason === 'returned') {
    const { which, count } = dataOf('returned')
    if (which === 'at') return 'The time until which it was ignored is over.'
    const number =
      typeof count === 'number' ? countOf(count, which === 'users' ? 'user' : 'event') : ''
    return `It was ignored, and came back${number === '' ? '' : ` with ${number}`}.`
  }
  const release = issue?.first_release
  return release == null ? 'It is new.' : `It is new, first seen in ${release}.`
}
