import { useLocation } from 'preact-iso'
import { ButtonLink } from '../../../design/button.tsx'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { Page } from '../../../design/content/page.tsx'
import { EmptyState } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { SearchField } from '../../../design/forms/search-field.tsx'
import { usePages } from '../../../http/use-pages.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { choicesOf, FilterSelect, oneOf } from '../lists/filter-select.tsx'
import { PagedList } from '../lists/paged-list.tsx'
import { type Send, SendStatus, sendKinds, sendStatuses } from './send-words.tsx'

const refreshMs = 15_000

const head = {
  row: 'email-row email-send-row',
  columns: [
    'To',
    'State',
    'Subject',
    { label: 'Kind', class: 'email-row-extra' },
    { label: 'Queued', class: 'email-row-at email-row-extra' },
  ],
}

/** Every email that is not part of a campaign, newest first. */
export function SendsPage() {
  const params = useSearchParams()
  const { route } = useLocation()
  const status = oneOf(sendStatuses, params.get('status'))
  const kind = oneOf(sendKinds, params.get('kind'))
  const search = params.get('query')
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(kind === undefined ? {} : { kind }),
    ...(search === undefined ? {} : { query: search }),
  }
  const pages = usePages(
    'GET /api/v1/admin/email/sends',
    { query: { limit: 100, ...filter } },
    { keepPrevious: true, refetchEveryMs: refreshMs },
  )
  return (
    <Page
      title="Send log"
      wide
      meta="Transactional and system emails. Campaigns list their own deliveries."
      bar={
        <>
          <SearchField
            label="Search emails"
            placeholder="Search recipient or subject"
            value={search ?? ''}
            onText={(query) => params.set({ query }, 'replace')}
          />
          <FilterSelect
            name="status"
            label="State"
            all="All states"
            choices={choicesOf(sendStatuses)}
          />
          <FilterSelect name="kind" label="Kind" all="All kinds" choices={choicesOf(sendKinds)} />
        </>
      }
    >
      <PagedList
        label="Emails"
        head={head}
        pages={pages}
        keyOf={({ id }) => id}
        rowHeight={46}
        isFiltered={Object.keys(filter).length > 0}
        onOpen={({ id }) => route(`/email/sends/${id}`)}
        empty={<NoEmails />}
        renderRow={(send) => <Row send={send} />}
      />
    </Page>
  )
}

function Row({ send }: { readonly send: Send }) {
  const { id, to, status, subject, reason, kind, createdAt } = send
  return (
    <div class="email-row email-send-row">
      <a class="email-row-name truncate" href={`/email/sends/${id}`}>
        {to}
      </a>
      <span>
        <SendStatus status={status} />
      </span>
      <div class="email-row-full">
        <div class="truncate">{subject}</div>
        {reason !== null && (
          <div class="soft small truncate" title={reason}>
            {reason}
          </div>
        )}
      </div>
      <span class="soft email-row-extra">{sendKinds[kind]}</span>
      <span class="email-row-at soft email-row-extra">
        <Time at={createdAt} />
      </span>
    </div>
  )
}

function NoEmails() {
  const body =
    '{"newsletter":"…","to":"you@example.com","subject":"Hello","markdown":"It **works**."}'
  return (
    <EmptyState icon="send" title="No emails yet">
      <p>Create an API key and send the first one.</p>
      <CodeBlock
        label="Send an email"
        code={`curl ${location.origin}/api/v1/send \\\n  -H 'Authorization: Bearer emk_…' \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`}
      />
      <ButtonLink icon="key" href="/organization/api-keys">
        API keys
      </ButtonLink>
    </EmptyState>
  )
}
