import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Page, Panel, Tabs } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Reply, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { NewsletterSettings } from './newsletter-settings.tsx'
import { signupSnippets } from './signup-snippet.ts'
import './newsletters.css'

const one = 'GET /api/v1/organization/newsletters/{newsletter}'
type Newsletter = Reply<typeof one>

const statuses = [
  ['subscribed', 'Subscribed'],
  ['pending', 'Not confirmed'],
  ['unsubscribed', 'Unsubscribed'],
  ['bounced', 'Bounced'],
  ['complained', 'Complained'],
] as const

/** `/email/newsletters/{slug}`: settings, sign-up and numbers of one newsletter. */
export function NewsletterPage() {
  const { slug = '' } = useRoute().params as { readonly slug?: string }
  const read = useRead(one, { params: { newsletter: slug } })
  const { get } = useSearchParams()
  const isSignup = get('tab') === 'signup'
  const path = `/email/newsletters/${slug}`
  const { data } = read
  return (
    <Page
      title={data?.name ?? 'Newsletter'}
      parent={{ label: 'Newsletters', href: '/email/newsletters' }}
      meta={data !== undefined && <span class="mono">{data.slug}</span>}
      actions={
        <>
          {data?.archive_enabled === true && (
            <ButtonLink
              icon="external"
              href={`/archive/${data.archive_path}/`}
              target="_blank"
              rel="noopener"
            >
              Archive
            </ButtonLink>
          )}
          <ButtonLink href={`/email/campaigns?newsletter=${slug}`} icon="send">
            Campaigns
          </ButtonLink>
        </>
      }
      bar={
        <Tabs
          label="Parts of the newsletter"
          tabs={[
            { label: 'Settings', href: path, current: !isSignup },
            { label: 'Sign-up', href: `${path}?tab=signup`, current: isSignup },
          ]}
        />
      }
    >
      <Loaded read={read} lines={10}>
        {(newsletter) => (
          <>
            <Counts newsletter={newsletter} />
            {isSignup ? (
              <Signup newsletter={newsletter} />
            ) : (
              <>
                <NewsletterSettings key={newsletter.id} newsletter={newsletter} />
                <Deletion newsletter={newsletter} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Counts({ newsletter: { slug, contact_counts } }: { readonly newsletter: Newsletter }) {
  return (
    <dl class="newsletter-counts">
      {statuses.map(([status, label]) => (
        <div key={status}>
          <dt>{label}</dt>
          <dd>
            <a href={`/email/contacts?newsletter=${slug}&status=${status}`}>
              {formatNumber(contact_counts[status] ?? 0)}
            </a>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Signup({ newsletter }: { readonly newsletter: Newsletter }) {
  return (
    <div class="stack">
      <p>
        Your server signs people up with an API key, so that nobody else can.{' '}
        {newsletter.confirm_signups
          ? 'They get an email and are subscribed when they confirm.'
          : 'They are subscribed at once, without a confirmation email.'}{' '}
        <a class="text-link" href="/organization/api-keys">
          API keys
        </a>
      </p>
      {signupSnippets(location.origin, newsletter.slug).map(({ label, code }) => (
        <CodeBlock key={label} label={label} code={code} />
      ))}
    </div>
  )
}

function Deletion({ newsletter }: { readonly newsletter: Newsletter }) {
  const { route } = useLocation()
  const [isAsking, setAsking] = useState(false)
  if (!isOwner.value) return null
  const contacts = Object.values(newsletter.contact_counts).reduce((sum, count) => sum + count, 0)
  const remove = async () => {
    const done = await runChange({
      send: () =>
        request('DELETE /api/v1/organization/newsletters/{newsletter}', {
          params: { newsletter: newsletter.slug },
        }).then(() => true),
      done: `Deleted ${newsletter.name}.`,
    })
    if (done !== true) return
    await invalidateReads('GET /api/v1/organization/newsletters')
    route('/email/newsletters')
  }
  return (
    <Panel title="Delete this newsletter">
      <div class="newsletter-delete">
        <p class="small soft">
          Only a newsletter without contacts and campaigns can be deleted
          {contacts > 0 && `; this one has ${formatNumber(contacts)} contacts`}.
        </p>
        <Button kind="danger" disabled={contacts > 0} onClick={() => setAsking(true)}>
          Delete …
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${newsletter.name}?`}
          confirm="Delete the newsletter"
          danger
          typed={newsletter.slug}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>Its settings and its archive are deleted. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}
