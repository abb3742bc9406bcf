import { useRoute } from 'preact-iso'
import { CopyValue } from '../../../design/content/copy.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { useRead } from '../../../http/use-read.ts'
import { NewsletterName } from '../lists/newsletter-name.tsx'
import type { SendDetail } from './attempt-words.ts'
import { EmailHistory } from './email-history.tsx'
import { SendStatus, sendKinds, sendMeanings } from './send-words.tsx'
import { SentContent } from './sent-content.tsx'

const one = 'GET /api/v1/admin/email/sends/{id}'
const refreshMs = 3_000

/** What happened to one email. */
export function SendPage() {
  const { id = '' } = useRoute().params
  const first = useRead(one, { params: { id } })
  const isOpen = first.data?.status === 'queued' || first.data?.status === 'sending'
  const read = useRead(one, { params: { id } }, { refetchEveryMs: isOpen ? refreshMs : undefined })
  return (
    <Page
      title={read.data?.subject ?? 'Email'}
      parent={{ label: 'Send log', href: '/email/sends' }}
      meta={read.data !== undefined && <SendStatus status={read.data.status} />}
    >
      <Loaded read={read}>
        {(send) => (
          <div class="columns">
            <div class="stack">
              <History send={send} />
              <SentContent send={send} />
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
                  { name: 'From', value: send.from },
                  { name: 'Subject', value: send.subject },
                  { name: 'Kind', value: sendKinds[send.kind] },
                  {
                    name: 'Newsletter',
                    value:
                      send.newsletter === null ? '–' : <NewsletterName slug={send.newsletter} />,
                  },
                  { name: 'Attempts', value: send.attempts },
                  { name: 'Id', value: <CopyValue label="the id" value={send.id} /> },
                  {
                    name: 'Message-ID',
                    value: <CopyValue label="the Message-ID" value={send.messageId} />,
                  },
                  ...(send.deletedAt === null
                    ? []
                    : [{ name: 'Deleted', value: <Time at={send.deletedAt} /> }]),
                ]}
              />
            </Panel>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function History({ send }: { readonly send: SendDetail }) {
  const { status, createdAt, sentAt, finishedAt, reason, attemptLog } = send
  const isTold = attemptLog.length > 0 && status !== 'skipped' && status !== 'cancelled'
  return (
    <Panel title="History">
      <EmailHistory
        {...send}
        start={
          <li>
            <Time at={createdAt} />
            <div>Queued</div>
          </li>
        }
        end={
          <li>
            {(sentAt ?? finishedAt) === null ? (
              <span class="soft">now</span>
            ) : (
              <Time at={sentAt ?? finishedAt} />
            )}
            <div>
              <SendStatus status={status} />
              <p class="soft small">{sendMeanings[status]}</p>
              {reason !== null && !isTold && <p class="mono">{reason}</p>}
            </div>
          </li>
        }
      />
    </Panel>
  )
}
