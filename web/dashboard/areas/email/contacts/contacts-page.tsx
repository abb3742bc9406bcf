import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { Sparkline } from '../../../design/charts/sparkline.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import type { ListHeadProps } from '../../../design/content/list-head.tsx'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { EmptyState } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { SearchField } from '../../../design/forms/search-field.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { hrefOf } from '../../../http/request.ts'
import { usePages } from '../../../http/use-pages.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { FilterSelect, oneOf } from '../lists/filter-select.tsx'
import { newsletterChoices, useNewsletters } from '../lists/newsletters.ts'
import { PagedList } from '../lists/paged-list.tsx'
import { AddContactDialog } from './add-contact-dialog.tsx'
import { type Contact, ContactStatusBadge, contactStatuses } from './contact-status.tsx'
import { unsubscribe } from './unsubscribe.ts'

const list = 'GET /api/v1/admin/email/contacts'
const exportOperation = 'GET /api/v1/admin/email/contacts/export'
const numbersOf = 'GET /api/v1/admin/email/contacts/numbers'

function headOf(showsNewsletter: boolean): ListHeadProps {
  const extra = 'email-row-extra'
  return {
    row: 'email-row email-contact-row',
    columns: [
      'Address',
      'Status',
      { label: showsNewsletter ? 'Newsletter' : '', class: extra },
      { label: 'Source', class: extra },
      { label: 'Added', class: `email-row-at ${extra}` },
      { label: '', class: extra },
    ],
  }
}

/** The people of the newsletters, newest first. */
export function ContactsPage() {
  const params = useSearchParams()
  const { route } = useLocation()
  const newsletters = useNewsletters()
  const [isAdding, setAdding] = useState(false)
  const newsletter = params.get('newsletter')
  const status = oneOf(contactStatuses, params.get('status'))
  const search = params.get('query')
  const filter = {
    ...(newsletter === undefined ? {} : { newsletter }),
    ...(status === undefined ? {} : { status }),
    ...(search === undefined ? {} : { query: search }),
  }
  const pages = usePages(
    list,
    { query: { limit: 100, ...filter } },
    { keepPrevious: true, topics: ['imports'] },
  )
  const choices = newsletterChoices(newsletters)
  // With one newsletter its numbers are those of everybody.
  const showsNewsletter = newsletter === undefined && choices.length > 1
  const counted = newsletter ?? (choices.length === 1 ? choices[0]?.value : undefined)
  const numbers = useRead(
    numbersOf,
    { query: { newsletter: counted ?? '' } },
    { enabled: counted !== undefined, topics: ['imports'] },
  )
  useShortcuts([{ keys: 'n', label: 'Add a contact', run: () => setAdding(canWrite.value) }])

  const hrefWith = (wanted: string | undefined) => {
    const query = new URLSearchParams({ ...filter })
    query.delete('status')
    if (wanted !== undefined) query.set('status', wanted)
    const text = query.toString()
    return text === '' ? '/email/contacts' : `/email/contacts?${text}`
  }
  const byStatus = numbers.data?.byStatus
  const total = byStatus && Object.values(byStatus).reduce((sum, count) => sum + count, 0)
  return (
    <Page
      title="Contacts"
      wide
      meta={total !== undefined && <span class="number">{formatNumber(total)}</span>}
      actions={
        canWrite.value && (
          <>
            <Menu
              label="More"
              icon="more"
              hideLabel
              kind="quiet"
              actions={[
                {
                  label: 'Import',
                  icon: 'upload',
                  run: () => route('/email/contacts/import'),
                },
                {
                  label: 'Export CSV',
                  icon: 'download',
                  run: () => location.assign(hrefOf(exportOperation, { query: filter })),
                },
              ]}
            />
            <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
              Add a contact
            </Button>
          </>
        )
      }
      bar={
        <>
          <div class="email-bar-tabs">
            <Tabs
              label="Status"
              tabs={[
                { label: 'All', href: hrefWith(undefined), current: status === undefined },
                ...Object.entries(contactStatuses).map(([value, label]) => ({
                  label,
                  href: hrefWith(value),
                  current: status === value,
                  count: byStatus?.[value],
                })),
              ]}
            />
          </div>
          <SearchField
            label="Search contacts"
            placeholder="Search address or name"
            value={search ?? ''}
            onText={(query) => params.set({ query }, 'replace')}
          />
          {choices.length > 1 && (
            <FilterSelect
              name="newsletter"
              label="Newsletter"
              all="All newsletters"
              choices={choices}
            />
          )}
        </>
      }
    >
      {numbers.data !== undefined && pages.items.length > 0 && <Days days={numbers.data.days} />}
      <PagedList
        label="Contacts"
        head={headOf(showsNewsletter)}
        pages={pages}
        keyOf={({ id }) => id}
        rowHeight={46}
        isFiltered={Object.keys(filter).length > 0}
        onOpen={({ id }) => route(`/email/contacts/${id}`)}
        empty={<NoContacts onAdd={() => setAdding(true)} />}
        renderRow={(contact) => <Row contact={contact} showsNewsletter={showsNewsletter} />}
      />
      {isAdding && (
        <AddContactDialog
          newsletter={newsletter}
          onClose={() => setAdding(false)}
          onAdded={(id) => route(`/email/contacts/${id}`)}
        />
      )}
    </Page>
  )
}

interface Day {
  readonly signups: number
  readonly confirmed: number
  readonly unsubscribed: number
}

function Days({ days }: { readonly days: readonly Day[] }) {
  const rows = [
    ['Signups in 30 days', 'signup', days.map(({ signups }) => signups)],
    ['Confirmed', 'confirmation', days.map(({ confirmed }) => confirmed)],
    ['Unsubscribed', 'unsubscribe', days.map(({ unsubscribed }) => unsubscribed)],
  ] as const
  return (
    <dl class="email-numbers">
      {rows.map(([name, unit, values]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="row">
            {formatNumber(values.reduce((sum, value) => sum + value, 0))}
            <Sparkline values={values} unit={unit} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Row({
  contact,
  showsNewsletter,
}: {
  readonly contact: Contact
  readonly showsNewsletter: boolean
}) {
  const { id, email, name, status, newsletter, source, createdAt } = contact
  return (
    <div class="email-row email-contact-row">
      <div>
        <a class="email-row-name truncate" href={`/email/contacts/${id}`}>
          {email ?? 'Erased address'}
        </a>
        {name !== null && <div class="soft truncate">{name}</div>}
      </div>
      <span>
        <ContactStatusBadge status={status} />
      </span>
      <span class="soft truncate email-row-extra">{showsNewsletter ? newsletter : ''}</span>
      <span class="soft truncate email-row-extra" title={source ?? undefined}>
        {source}
      </span>
      <span class="email-row-at soft email-row-extra">
        <Time at={createdAt} />
      </span>
      <span class="email-row-extra">{canWrite.value && <RowMenu contact={contact} />}</span>
    </div>
  )
}

function RowMenu({ contact }: { readonly contact: Contact }) {
  const { route } = useLocation()
  return (
    <Menu
      label={`Actions for ${contact.email ?? 'the contact'}`}
      hideLabel
      icon="more"
      kind="quiet"
      size="s"
      actions={[
        { label: 'Open', icon: 'eye', run: () => route(`/email/contacts/${contact.id}`) },
        {
          label: 'Unsubscribe',
          icon: 'stop',
          disabled: contact.status === 'unsubscribed',
          run: () => void unsubscribe(contact),
        },
      ]}
    />
  )
}

function NoContacts({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <EmptyState icon="people" title="No contacts yet">
      <p>
        Import a list from another service, add one by hand, or connect a signup form to{' '}
        <code>POST /api/v1/contacts</code>.
      </p>
      {canWrite.value && (
        <div class="row">
          <ButtonLink icon="upload" href="/email/contacts/import">
            Import a list
          </ButtonLink>
          <Button icon="plus" onClick={onAdd}>
            Add a contact
          </Button>
        </div>
      )}
    </EmptyState>
  )
}
