/**
 * What must hold after a drill: every event that was answered 200 is a row and is counted once, and
 * every email that the API accepted reached the mail server once.
 */
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { DrillStack } from './drill-stack.ts'

/** Long enough for a backlog, and for the last retry of an email. */
const settleMsMax = 120_000

export type AccountedStack = Pick<DrillStack, 'postgres' | 'clickhouse'> & {
  readonly mail: Pick<DrillStack['mail'], 'accepted'>
}

export interface Promises {
  readonly projectId: number
  /** Ids of events that were answered 200. */
  readonly eventIds: ReadonlySet<string>
  /** Ids of all events that were sent. */
  readonly sentIds: ReadonlySet<string>
  /** Subjects of emails that the API accepted. */
  readonly subjects: ReadonlySet<string>
}

/** Returns what is wrong after everything had time to settle; empty when nothing is. */
export async function findLosses(stack: AccountedStack, promises: Promises): Promise<string[]> {
  let findings: string[] = ['nothing was compared']
  await waitUntil(
    'the accounting to be right',
    async () => {
      findings = await compare(stack, promises)
      return findings.length === 0
    },
    settleMsMax,
  ).catch(() => undefined)
  return findings
}

async function compare(
  { postgres, clickhouse, mail }: AccountedStack,
  promises: Promises,
): Promise<string[]> {
  const { projectId, eventIds, sentIds, subjects } = promises
  const result = await clickhouse.query({
    query: `select replaceAll(toString(event_id), '-', '') as id from events where project_id = {projectId: UInt64}
      union all
     select replaceAll(toString(arrayJoin(sampled_ids)), '-', '') as id from events where project_id = {projectId: UInt64}`,
    query_params: { projectId },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ id: string }>()
  const stored = new Map<string, number>()
  for (const { id } of rows) stored.set(id, (stored.get(id) ?? 0) + 1)
  const counted = await postgres.query<{ count: number }>(
    'select coalesce(sum(count), 0)::bigint as count from issues where project_id = $1',
    [projectId],
  )
  const lost = [...eventIds].filter((id) => !stored.has(id))
  const twice = [...stored].filter(([, count]) => count > 1)
  const invented = [...stored.keys()].filter((id) => !sentIds.has(id))
  const unsent = [...subjects].filter((subject) => !mail.accepted.has(subject))
  const repeated = [...mail.accepted].filter(([, count]) => count > 1)
  return [
    ...finding(lost.length, 'events answered 200 are not stored'),
    ...finding(twice.length, 'events are stored twice'),
    ...finding(invented.length, 'stored events were never sent'),
    ...finding(
      Math.abs(rows.length - (counted.rows[0]?.count ?? 0)),
      'is the difference between stored and counted events',
    ),
    ...finding(unsent.length, 'accepted emails were not sent'),
    ...finding(repeated.length, 'emails were sent twice'),
  ]
}

function finding(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}`]
}
