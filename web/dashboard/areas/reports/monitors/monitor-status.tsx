import { Badge } from '../../../design/content/badge.tsx'
import { formatExact } from '../../../design/content/format.ts'
import type { Item } from '../../../http/use-pages.ts'

export type Monitor = Item<'GET /api/v1/projects/{project_id}/monitors'>
type State = Pick<Monitor['environments'][number], 'status' | 'incident'>

export function MonitorStatus({ monitor }: { readonly monitor: Monitor }) {
  const incident = monitor.environments.find((one) => one.incident !== null)?.incident ?? null
  return (
    <span class="row">
      <StatusBadge state={{ status: monitor.status, incident }} />
      {monitor.muted && <Badge title="Runs create no events">Muted</Badge>}
      {isSnoozed(monitor) && (
        <Badge title={`Until ${formatExact(monitor.snoozed_until ?? '')}`}>Snoozed</Badge>
      )}
    </span>
  )
}

export function StatusBadge({ state }: { readonly state: State }) {
  if (state.status === 'waiting') return <Badge>Waiting</Badge>
  if (state.status === 'ok') return <Badge tone="success">OK</Badge>
  const kind = state.incident?.kind
  const words = { missed: 'Missed', overrunning: 'Overrunning', error: 'Failed' }
  return <Badge tone="danger">{kind === undefined ? 'Failing' : words[kind]}</Badge>
}

export function isSnoozed({ snoozed_until: until }: Pick<Monitor, 'snoozed_until'>): boolean {
  return until !== null && Date.parse(until) > Date.now()
}
