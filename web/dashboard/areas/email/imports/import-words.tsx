import { Badge, type Tone } from '../../../design/content/badge.tsx'
import type { Item } from '../../../http/use-pages.ts'

export const importList = 'GET /api/v1/admin/email/imports'
export const importOne = 'GET /api/v1/admin/email/imports/{import_id}'
export type ContactImport = Item<typeof importList>

const states: Readonly<Record<ContactImport['state'], readonly [string, Tone]>> = {
  waiting: ['Waiting', 'info'],
  running: ['Running', 'info'],
  done: ['Done', 'success'],
  failed: ['Failed', 'danger'],
  cancelled: ['Cancelled', 'neutral'],
}

export function ImportState({ item }: { readonly item: ContactImport }) {
  const [label, tone] = states[item.state]
  const isChecked = item.dryRun && item.state === 'done'
  return (
    <span class="row">
      <Badge tone={isChecked ? 'warning' : tone}>
        {isChecked ? 'Checked, not started' : label}
      </Badge>
      {item.dryRun && !isChecked && <Badge>Dry run</Badge>}
    </span>
  )
}

export function isUnderWay({ state }: Pick<ContactImport, 'state'>): boolean {
  return state === 'waiting' || state === 'running'
}
