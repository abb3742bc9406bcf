import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { SlugField, useProposedSlug } from '../../../design/forms/slug-field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import './newsletters.css'

const list = 'GET /api/v1/organization/newsletters'

/** `/email/newsletters`: each with its sender and its contacts by status. */
export function NewslettersPage() {
  const read = useRead(list, {})
  const [isCreating, setCreating] = useState(false)
  useShortcuts(
    canWrite.value ? [{ keys: 'n', label: 'New newsletter', run: () => setCreating(true) }] : [],
  )
  const create = canWrite.value && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New newsletter
    </Button>
  )
  return (
    <Page title="Newsletters" actions={create}>
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="mail" title="No newsletters yet">
              <p>
                A newsletter names the sender of its campaigns and has subscribers and an archive of
                its own.
              </p>
            </EmptyState>
          ) : (
            <Panel flush>
              <DataTable
                label="Newsletters"
                items={items}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Newsletter',
                    cell: ({ slug, name }) => (
                      <>
                        <a class="newsletter-name" href={`/email/newsletters/${slug}`}>
                          {name}
                        </a>{' '}
                        <span class="soft mono">{slug}</span>
                      </>
                    ),
                  },
                  {
                    head: 'Sender',
                    secondary: true,
                    cell: ({ from_address }) => <span class="soft">{from_address}</span>,
                  },
                  {
                    head: 'Subscribed',
                    numeric: true,
                    cell: ({ slug, contact_counts }) => (
                      <a href={`/email/contacts?newsletter=${slug}&status=subscribed`}>
                        {formatNumber(contact_counts['subscribed'] ?? 0)}
                      </a>
                    ),
                  },
                  {
                    head: 'Not confirmed',
                    numeric: true,
                    secondary: true,
                    cell: ({ contact_counts }) => formatNumber(contact_counts['pending'] ?? 0),
                  },
                  {
                    head: 'Unsubscribed',
                    numeric: true,
                    secondary: true,
                    cell: ({ contact_counts }) => formatNumber(contact_counts['unsubscribed'] ?? 0),
                  },
                  {
                    head: 'Archive',
                    secondary: true,
                    cell: ({ archive_enabled }) => (
                      <Badge tone={archive_enabled ? 'success' : 'neutral'}>
                        {archive_enabled ? 'Public' : 'Off'}
                      </Badge>
                    ),
                  },
                ]}
              />
            </Panel>
          )
        }
      </Loaded>
      {isCreating && <NewNewsletterDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}

function NewNewsletterDialog({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const [name, setName] = useState('')
  const [from, setFrom] = useState('')
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const slug = useProposedSlug(name)
  const create = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      const body = { slug: slug.value, name, from_address: from }
      await request('POST /api/v1/organization/newsletters', { body })
      await invalidateReads(list)
      onClose()
      route(`/email/newsletters/${slug.value}`)
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
    }
  }
  const ruleOf = (field: string) => asProblem(problem)?.ruleOf(field)
  const isPlaced = ['name', 'slug', 'from_address'].some((field) => ruleOf(field) !== undefined)
  return (
    <Dialog
      title="New newsletter"
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="new-newsletter" busy={busy}>
            Create the newsletter
          </Button>
        </>
      }
    >
      <form id="new-newsletter" class="form" onSubmit={(event) => void create(event)}>
        <TextField
          label="Name"
          value={name}
          required
          autoFocus
          maxLength={100}
          error={ruleOf('name')}
          onText={setName}
        />
        <SlugField
          slug={slug}
          maxLength={64}
          error={ruleOf('slug')}
          hint="Its name in the API and in the URL of the archive. It cannot be changed later."
        />
        <TextField
          label="From address"
          type="email"
          value={from}
          required
          error={ruleOf('from_address')}
          hint={
            <>
              Of a verified <a href="/email/domains">sending domain</a>.
            </>
          }
          onText={setFrom}
        />
        {problem !== undefined && !isPlaced && <ProblemBox problem={problem} />}
      </form>
    </Dialog>
  )
}
