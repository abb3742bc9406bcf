import { useRoute } from 'preact-iso'
import { CopyValue } from '../../../design/content/copy.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { useRead } from '../../../http/use-read.ts'
import { BounceType } from '../bounces/bounce-words.tsx'
import { type Send, SendStatus, sendKinds, sendMeanings } from './send-words.tsx'
import '../contacts/contact.css'

const one = 'GET /api/v1/admin/email/sends/{id}'
const refreshMs = 3_000
const bouncesMax = 20

/** What happened to one email. */
export function SendPage() {
  const { id = '' } = useRoute().params
  const first = useRead(one, { params: { id } })
  const isOpen = first.data?.status === 'queued' || first.data?.status === 'sending'
  const read = useRead(one, { params: { id } }, { refetchEveryMs: isOpen ? refreshMs : undefined })
  return (
    <Page
      title={read.data?.subject ?? 'Email'}
      meta={read.data !== undefined && <SendStatus status={read.data.status} />}
      bar={
        <a class="soft small" href="/email/sends">
          Send log
        </a>
      }
    >
      <Loaded read={read}>
        {(send) => (
          <div class="columns">
            <div class="stack">
              <History send={send} />
              <Bounces send={send} />
            </div>
            <Panel title="Email">
              <Facts
                facts={[
                  {
                    name: 'To',
                    value: (
                      <a href={`/email/contacts?query=${encodeURIComponent(send.to)}`}>{send.to}</a>
                    ),
                  },
                  { name: 'Subject', value: send.subject },
                  { name: 'Kind', value: sendKinds[send.kind] },
                  { name: 'Newsletter', value: send.newsletter ?? '–' },
                  { name: 'Attempts', value: send.attempts },
                  { name: 'Id', value: <CopyValue label="the id" value={send.id} /> },
                ]}
              />
            </Panel>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function History({ send }: { readonly send: Send }) {
  const { status, createdAt, sentAt, attempts, reason } = send
  return (
    <Panel title="History">
      <ol class="contact-history">
        <li>
          <Time at={createdAt} />
          <div>Queued</div>
        </li>
        {attempts > 0 && (
          <li>
            <span class="soft">{countOf(attempts, 'attempt')}</span>
            <div>
              {sentAt === null ? 'The mailer tried to deliver it.' : 'Handed to the mail server.'}
            </div>
          </li>
        )}
        <li>
          {sentAt === null ? <span class="soft">now</span> : <Time at={sentAt} />}
          <div>
            <SendStatus status={status} />
            <p class="soft small">{sendMeanings[status]}</p>
            {reason !== null && <p class="mono">{reason}</p>}
          </div>
        </li>
      </ol>
    </Panel>
  )
}

/** Reports name the address, not the email; those after it was created may be about it. */
function Bounces({ send }: { readonly send: Send }) {
  const read = useRead('GET /api/v1/admin/email/bounces', {
    query: { query: send.to, limit: bouncesMax },
  })
  const later = (read.data?.items ?? []).filter(
    ({ at, email }) => email === send.to && Date.parse(at) >= Date.parse(send.createdAt),
  )
  if (later.length === 0) return null
  return (
    <Panel title="Bounces of this address since then">
      <ol class="contact-history">
        {later.map((bounce) => (
          <li key={bounce.id}>
            <Time at={bounce.at} />
            <div>
              <BounceType bounce={bounce} />
              {bounce.excerpt !== null && <p class="mono">{bounce.excerpt}</p>}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
