import { Button } from '../../../design/button.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { formatExact } from '../../../design/content/format.ts'
import { Panel, Tabs } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { hrefOf } from '../../../http/request.ts'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import type { SendDetail } from './attempt-words.ts'
import './sends.css'

const reasons: Readonly<Record<Exclude<SendDetail['content'], 'stored'>, string>> = {
  withheld: 'Not shown: Sluice wrote this email, and its links act for its recipient.',
  sealed:
    'Not shown: it has a link that works once. It is encrypted until it is sent, and then removed.',
  removed:
    'Removed. The content of an email with a link that works once is deleted as soon as it is sent.',
}

/** The content is read on demand, because the audit log tells who read it. */
export function SentContent({ send }: { readonly send: SendDetail }) {
  const { get, set } = useSearchParams()
  const shown = get('content')
  const { content, deletedAt } = send
  if (content !== 'stored') {
    return (
      <Panel title="Content">
        <p class="soft">{reasons[content]}</p>
      </Panel>
    )
  }
  const until =
    deletedAt === null
      ? 'Kept until 90 days after the email has ended.'
      : `Kept until ${formatExact(deletedAt)}: 90 days after the email ended.`
  if (!canWrite.value) {
    return (
      <Panel title="Content">
        <p class="soft">Members and owners can read it. {until}</p>
      </Panel>
    )
  }
  return (
    <Panel title="Content">
      <div class="stack">
        {shown === undefined ? (
          <p>
            <Button onClick={() => set({ content: 'email' })}>Show the content</Button>
          </p>
        ) : (
          <Shown send={send} shown={shown} />
        )}
        <p class="soft small">{until} The audit log tells who read it.</p>
      </div>
    </Panel>
  )
}

function Shown({ send, shown }: { readonly send: SendDetail; readonly shown: string }) {
  const { id } = send
  const { get } = useSearchParams()
  const images = get('images') === 'load' ? 'load' : 'block'
  const read = useRead('GET /api/v1/admin/email/sends/{id}/content', { params: { id } })
  const path = `/email/sends/${id}?content=`
  return (
    <Loaded read={read} lines={6}>
      {({ headers, text, hasHtml }) => {
        const part = shown === 'headers' || shown === 'text' || !hasHtml ? shown : 'email'
        const src = hrefOf('GET /api/v1/admin/email/sends/{id}/content.html', {
          params: { id },
          query: { images },
        })
        return (
          <>
            <Tabs
              label="Parts of the email"
              tabs={[
                ...(hasHtml
                  ? [{ label: 'Email', href: `${path}email`, current: part === 'email' }]
                  : []),
                {
                  label: 'Text',
                  href: `${path}text`,
                  current: part !== 'headers' && part !== 'email',
                },
                { label: 'Headers', href: `${path}headers`, current: part === 'headers' },
              ]}
            />
            {part === 'headers' ? (
              <Facts
                facts={headers.map(({ name, value }) => ({
                  name,
                  value: <span class="mono">{value}</span>,
                }))}
              />
            ) : part === 'email' && hasHtml ? (
              <>
                <iframe
                  class="sent-frame"
                  title="The email as it was sent"
                  src={src}
                  sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
                  referrerpolicy="no-referrer"
                />
                {images === 'block' && (
                  <p class="small">
                    Images of other servers are not loaded.{' '}
                    <a class="text-link" href={`${path}email&images=load`}>
                      Load them
                    </a>
                  </p>
                )}
              </>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long texts.
              <pre class="sent-text" tabIndex={0}>
                {text}
              </pre>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
