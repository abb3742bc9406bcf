import { useState } from 'preact/hooks'
import { Badge } from '../../../design/content/badge.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { SelectField, TextField } from '../../../design/forms/field.tsx'
import { type Item, usePages } from '../../../http/use-pages.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { useDelayed } from '../../../shell/use-delayed.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { OrganizationPage } from './organization-page.tsx'
import './audit.css'

const list = 'GET /api/v1/organization/audit'
type Entry = Item<typeof list>

const rowHeight = 46
const typingMs = 300
const vias = { login: 'dashboard', token: 'token', command_line: 'command line' } as const

/** Who changed what, when, from which address. */
export function AuditPage() {
  const params = useSearchParams()
  const action = params.get('action')
  const person = params.get('person')
  const [typed, setTyped] = useState(action ?? '')
  const settled = useDelayed(typed.trim(), typingMs)
  const people = useRead('GET /api/v1/organization/people', {}, { enabled: isOwner.value })
  const query = {
    limit: 100,
    ...(settled === '' ? {} : { action: settled }),
    ...(person === undefined ? {} : { person_id: person }),
  }
  const pages = usePages(list, { query }, { keepPrevious: true })
  return (
    <OrganizationPage title="Audit log">
      <div class="form-row">
        <TextField
          label="Action"
          value={typed}
          placeholder="issue.merged"
          onText={(text) => {
            setTyped(text)
            params.set({ action: text.trim() }, 'replace')
          }}
        />
        <SelectField
          label="Person"
          value={person ?? ''}
          choices={[
            { value: '', label: 'Everybody' },
            ...(people.data?.items ?? []).map(({ id, name, email }) => ({
              value: id,
              label: name ?? email,
            })),
          ]}
          onValue={(id) => params.set({ person: id })}
        />
      </div>
      {pages.problem !== undefined && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      {pages.isLoading && <Skeleton />}
      {!pages.isLoading && pages.problem === undefined && pages.items.length === 0 && (
        <EmptyState icon="list" title="No entry matches" />
      )}
      <WindowedList
        label="Audit log"
        items={pages.items}
        keyOf={({ id }) => id}
        rowHeight={rowHeight}
        onEnd={pages.loadMore}
        renderRow={(entry) => <Row entry={entry} />}
      />
    </OrganizationPage>
  )
}

function Row({ entry }: { readonly entry: Entry }) {
  const { at, actor, via, action, subject_type: type, subject_id: id, details, ip } = entry
  const changes = Object.keys(details).length > 0 ? JSON.stringify(details) : ''
  return (
    <div class="audit-row">
      <Time at={at} />
      <span class="truncate">{actor}</span>
      <span class="audit-action">
        <Badge>{action}</Badge>
        <span class="soft small truncate" title={`${type} ${id ?? ''} ${changes}`}>
          {type} {id} {changes}
        </span>
      </span>
      <span class="soft small audit-from">
        {vias[via]}
        {ip === null ? '' : ` · ${ip}`}
      </span>
    </div>
  )
}
