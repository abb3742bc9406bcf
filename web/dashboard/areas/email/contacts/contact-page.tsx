import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { DataTable, Facts } from '../../../design/content/data-table.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { BounceType } from '../bounces/bounce-words.tsx'
import { ContactEmails } from './contact-emails.tsx'
import { type ContactDetail, ContactStatusBadge } from './contact-status.tsx'
import { describeEvent } from './describe-event.ts'
import { EditContactDialog } from './edit-contact-dialog.tsx'
import { unsubscribe } from './unsubscribe.ts'
import './contact.css'
import { NewsletterName } from '../lists/newsletter-name.tsx'

const one = 'GET /api/v1/admin/email/contacts/{contact_id}'
const list = 'GET /api/v1/admin/email/contacts'
type Asked = 'edit' | 'delete' | 'erase'

/** One person in one newsletter: consent, history, and what was sent and came back. */
export function ContactPage() {
  const { contact_id: id = '' } = useRoute().params
  const read = useRead(one, { params: { contact_id: id } })
  const contact = read.data
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  return (
    <Page
      title={contact === undefined ? 'Contact' : (contact.email ?? 'Erased address')}
      parent={{ label: 'Contacts', href: '/email/contacts' }}
      meta={
        contact !== undefined && (
          <>
            <ContactStatusBadge status={contact.status} />
            <span>
              <NewsletterName slug={contact.newsletter} />
            </span>
          </>
        )
      }
      actions={
        contact !== undefined &&
        canWrite.value && (
          <>
            <Menu
              label="More actions"
              hideLabel
              icon="more"
              actions={[
                {
                  label: 'Unsubscribe',
                  icon: 'stop',
                  disabled: contact.status === 'unsubscribed',
                  run: () => void unsubscribe(contact),
                },
                {
                  label: 'Delete from this newsletter…',
                  icon: 'trash',
                  danger: true,
                  run: () => setAsked('delete'),
                },
                {
                  label: 'Erase the person…',
                  icon: 'trash',
                  danger: true,
                  run: () => setAsked('erase'),
                },
              ]}
            />
            <Button icon="edit" onClick={() => setAsked('edit')}>
              Edit
            </Button>
          </>
        )
      }
    >
      <Loaded read={read}>
        {(data) => (
          <div class="columns contact-columns">
            <div class="stack">
              <ContactEmails contactId={data.id} />
              <History contact={data} />
              {data.email !== null && <Bounces email={data.email} />}
            </div>
            <div class="stack">
              <About contact={data} />
              {data.email !== null && <Subscriptions contact={data} email={data.email} />}
            </div>
          </div>
        )}
      </Loaded>
      {contact !== undefined && asked === 'edit' && (
        <EditContactDialog contact={contact} onClose={close} />
      )}
      {contact !== undefined && (asked === 'delete' || asked === 'erase') && (
        <RemoveDialog contact={contact} kind={asked} onClose={close} />
      )}
    </Page>
  )
}

function About({ contact }: { readonly contact: ContactDetail }) {
  const attribs = Object.entries(contact.attribs)
  const consent = [
    { name: 'Source', value: contact.source ?? '–' },
    {
      name: 'Signed up',
      value: (
        <>
          <Time at={contact.createdAt} />
          {contact.signupIp !== null && <span class="soft"> from {contact.signupIp}</span>}
        </>
      ),
    },
    {
      name: 'Confirmed',
      value: (
        <>
          <Time at={contact.confirmedAt} />
          {contact.confirmedIp !== null && <span class="soft"> from {contact.confirmedIp}</span>}
        </>
      ),
    },
  ]
  return (
    <>
      <Panel title="Consent">
        <Facts
          facts={[
            ...consent,
            ...(contact.confirmedUserAgent === null
              ? []
              : [{ name: 'Browser', value: contact.confirmedUserAgent }]),
            ...(contact.unsubscribedAt === null
              ? []
              : [{ name: 'Unsubscribed', value: <Time at={contact.unsubscribedAt} /> }]),
            ...(contact.suppressedAt === null
              ? []
              : [
                  {
                    name: 'Suppressed',
                    value: (
                      <>
                        <Time at={contact.suppressedAt} />{' '}
                        <a
                          href={`/email/suppressions?query=${encodeURIComponent(contact.email ?? '')}`}
                        >
                          {contact.suppressionCause?.replaceAll('_', ' ')}
                        </a>
                      </>
                    ),
                  },
                ]),
          ]}
        />
      </Panel>
      <Panel title="Name and attributes">
        <Facts
          facts={[
            { name: 'Name', value: contact.name ?? '–' },
            ...attribs.map(([name, value]) => ({ name, value: String(value) })),
          ]}
        />
      </Panel>
    </>
  )
}

function Subscriptions({
  contact,
  email,
}: {
  readonly contact: ContactDetail
  readonly email: string
}) {
  const read = useRead(list, { query: { query: email, limit: 50 } })
  return (
    <Panel title="Newsletters">
      <Loaded read={read} lines={2}>
        {({ items }) => (
          <ul class="contact-subscriptions">
            {items
              .filter((item) => item.email === email)
              .map((item) => (
                <li key={item.id}>
                  {item.id === contact.id ? (
                    <span>
                      <NewsletterName slug={item.newsletter} />
                    </span>
                  ) : (
                    <a href={`/email/contacts/${item.id}`}>
                      <NewsletterName slug={item.newsletter} />
                    </a>
                  )}
                  <ContactStatusBadge status={item.status} />
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  )
}

function History({ contact }: { readonly contact: ContactDetail }) {
  return (
    <Panel title="History">
      {contact.events.length === 0 ? (
        <p class="soft">No events are stored.</p>
      ) : (
        <ol class="contact-history">
          {contact.events.map((event, index) => {
            const { title, via, details } = describeEvent(event)
            const from = [via, event.source, event.ip].filter(Boolean).join(' · ')
            return (
              <li key={index}>
                <Time at={event.at} />
                <div>
                  <div>{title}</div>
                  <div class="soft small" title={event.userAgent ?? undefined}>
                    {from}
                    {details.length > 0 && ` · ${details.join(', ')}`}
                  </div>
                </div>
              </li>
            )
          })}
        </ol>
      )}
    </Panel>
  )
}

const shownMax = 20

function Bounces({ email }: { readonly email: string }) {
  const read = useRead('GET /api/v1/admin/email/bounces', {
    query: { query: email, limit: shownMax },
  })
  if (read.data?.items.length === 0) return null
  return (
    <Panel title="Bounces and complaints" flush>
      <Loaded read={read} lines={2}>
        {({ items }) => (
          <DataTable
            label="Bounces and complaints"
            items={items}
            keyOf={({ id }) => id}
            columns={[
              { head: 'Type', cell: (bounce) => <BounceType bounce={bounce} /> },
              { head: 'Reply of the mail server', cell: ({ excerpt }) => excerpt ?? '–' },
              { head: 'At', cell: ({ at }) => <Time at={at} /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function RemoveDialog({
  contact,
  kind,
  onClose,
}: {
  readonly contact: ContactDetail
  readonly kind: 'delete' | 'erase'
  readonly onClose: () => void
}) {
  const { route } = useLocation()
  const params = { contact_id: contact.id }
  const remove = async () => {
    const done = await runChange<boolean>({
      send: async () => {
        if (kind === 'erase') {
          await request('POST /api/v1/admin/email/contacts/{contact_id}/erase', { params })
        } else await request('DELETE /api/v1/admin/email/contacts/{contact_id}', { params })
        return true
      },
      done: kind === 'erase' ? 'The person was erased.' : 'The contact was deleted.',
      refetch: [list, 'GET /api/v1/admin/email/contacts/numbers'],
    })
    if (done === true) route('/email/contacts')
  }
  const isErase = kind === 'erase'
  return (
    <ConfirmDialog
      title={isErase ? 'Erase the person' : 'Delete the contact'}
      confirm={isErase ? 'Erase the person' : 'Delete the contact'}
      danger
      {...(isErase ? { typed: 'erase' } : {})}
      onConfirm={remove}
      onClose={onClose}
    >
      {isErase ? (
        <p>
          All contacts, names, attributes, emails and tracking of {contact.email ?? 'this address'}{' '}
          are removed from the organization. If the person had unsubscribed or is suppressed, a hash
          of the address stays, so that no import adds it again. This cannot be undone.
        </p>
      ) : (
        <p>
          {contact.email ?? 'The contact'} is removed from the newsletter{' '}
          <NewsletterName slug={contact.newsletter} />, with its history. Other newsletters keep
          theirs. This cannot be undone.
        </p>
      )}
    </ConfirmDialog>
  )
}
