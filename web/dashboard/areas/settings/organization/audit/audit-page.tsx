import { useId, useState } from 'preact/hooks'
import { Badge, FilterChip } from '../../../../design/content/badge.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { WindowedList } from '../../../../design/content/windowed-list.tsx'
import { SelectField, TextField } from '../../../../design/forms/field.tsx'
import { usePages } from '../../../../http/use-pages.ts'
import { useRead } from '../../../../http/use-read.ts'
import { canWrite, isOwner } from '../../../../session/session.ts'
import { useDelayed } from '../../../../shell/use-delayed.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { OrganizationPage } from '../organization-page.tsx'
import { AuditPanel } from './audit-panel.tsx'
import {
  detailWords,
  type Entry,
  kindOf,
  nameOf,
  pathOf,
  subjectOf,
  vias,
} from './describe-entry.ts'
import './audit.css'

const list = 'GET /api/v1/organization/audit'

const rowHeight = 46
const typingMs = 300

const head = {
  row: 'audit-row',
  columns: ['Time', 'Who', 'Change', 'From'],
}

/** Who changed what, when, from which address. */
export function AuditPage() {
  const params = useSearchParams()
  const action = params.get('action')
  const person = params.get('person')
  const subject = params.get('subject')
  const [typed, setTyped] = useState(action ?? '')
  const settled = useDelayed(typed.trim(), typingMs)
  const people = useRead('GET /api/v1/organization/people', {}, { enabled: isOwner.value })
  const query = {
    limit: 100,
    ...(settled === '' ? {} : { action: settled }),
    ...(person === undefined ? {} : { person_id: person }),
    ...(subject === undefined ? {} : { subject_id: subject }),
  }
  const pages = usePages(list, { query }, { keepPrevious: true })
  const actionListId = useId()
  const open = pages.items.find(({ id }) => id === params.get('entry'))
  const about = pages.items.find(({ subject_id: id }) => id === subject)
  return (
    <OrganizationPage title="Audit log">
      {canWrite.value && (
        <div class="form-row">
          <TextField
            label="Action"
            value={typed}
            placeholder="deleted, newsletter.created"
            {...({ list: actionListId } as object)}
            onText={(text) => {
              setTyped(text)
              params.set({ action: text.trim() }, 'replace')
            }}
          />
          <datalist id={actionListId}>
            {[...new Set(pages.items.map((entry) => entry.action))].sort().map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
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
      )}
      {subject !== undefined && (
        <p>
          <FilterChip onRemove={() => params.set({ subject: undefined })}>
            {about === undefined ? subject : `${kindOf(about)} ${nameOf(about) ?? subject}`}
          </FilterChip>
        </p>
      )}
      {pages.problem !== undefined && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      {pages.isLoading && <Skeleton />}
      {!pages.isLoading && pages.problem === undefined && pages.items.length === 0 && (
        <EmptyState icon="list" title="No entry matches" />
      )}
      <WindowedList
        label="Audit log"
        head={head}
        items={pages.items}
        keyOf={({ id }) => id}
        rowHeight={rowHeight}
        onEnd={pages.loadMore}
        current={open?.id}
        onCurrent={(id) => params.set({ entry: id }, 'replace')}
        renderRow={(entry) => <Row entry={entry} onOpen={() => params.set({ entry: entry.id })} />}
      />
      {open !== undefined && (
        <AuditPanel
          entry={open}
          onSubject={(id) => params.set({ subject: id, entry: undefined })}
          onClose={() => params.set({ entry: undefined }, 'replace')}
        />
      )}
    </OrganizationPage>
  )
}

function Row({ entry, onOpen }: { readonly entry: Entry; readonly onOpen: () => void }) {
  const { at, actor, via, action, subject_id: id, ip } = entry
  const name = nameOf(entry)
  const path = pathOf(entry)
  return (
    <div class="audit-row">
      <Time at={at} />
      <span class="truncate" title={actor}>
        {actor}
      </span>
      <span class="audit-action">
        <button type="button" class="audit-open" title="Show the entry" onClick={onOpen}>
          <Badge>{action}</Badge>
        </button>
        <span class="truncate">
          {path === undefined ? (
            <span class={name === undefined ? 'soft' : ''} title={id ?? undefined}>
              {subjectOf(entry)}
            </span>
          ) : (
            <a href={path} title={id ?? undefined}>
              {subjectOf(entry)}
            </a>
          )}{' '}
          <span class="soft small">{detailWords(entry)}</span>
        </span>
      </span>
      <span class="soft small audit-from">
        {vias[via]}
        {ip === null ? '' : ` · ${ip}`}
      </span>
    </div>
  )
}
