import { useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Badge } from '../design/content/badge.tsx'
import { CodeBlock, CopyValue } from '../design/content/copy.tsx'
import { Facts } from '../design/content/data-table.tsx'
import { formatDuration, formatExact } from '../design/content/format.ts'
import { Time } from '../design/content/time.tsx'
import { Dialog } from '../design/overlays/dialog.tsx'
import type { Delivery } from '../generated/api.d.ts'
import { stateLabels, stateTones, subjectOf, targetName } from './delivery-look.ts'

/** One delivery: every attempt with its answer, and what was sent. */
export function DeliveryDialog({
  delivery,
  onReplay,
  onClose,
}: {
  readonly delivery: Delivery
  /** Absent for a person who may not. */
  readonly onReplay: (() => Promise<unknown>) | undefined
  readonly onClose: () => void
}) {
  const [busy, setBusy] = useState(false)
  const replay = async () => {
    setBusy(true)
    await onReplay?.()
    setBusy(false)
  }
  return (
    <Dialog
      title={targetName(delivery)}
      size="side"
      onClose={onClose}
      footer={
        onReplay !== undefined && (
          <Button
            icon="refresh"
            busy={busy}
            disabled={delivery.state === 'pending'}
            title="With the same id and body"
            onClick={() => void replay()}
          >
            Replay
          </Button>
        )
      }
    >
      <div class="stack">
        <Facts
          facts={[
            {
              name: 'State',
              value: <Badge tone={stateTones[delivery.state]}>{stateLabels[delivery.state]}</Badge>,
            },
            { name: 'About', value: subjectOf(delivery) },
            { name: 'Created', value: formatExact(delivery.at) },
            ...(delivery.next_attempt_at === null
              ? []
              : [{ name: 'Next attempt', value: <Time at={delivery.next_attempt_at} /> }]),
            { name: 'webhook-id', value: <CopyValue label="the id" value={delivery.id} /> },
          ]}
        />
        <h3>Attempts</h3>
        {delivery.attempts.length === 0 ? (
          <p class="soft small">None yet.</p>
        ) : (
          <ol class="delivery-log-attempts">
            {[...delivery.attempts].reverse().map((attempt) => (
              <li key={attempt.at}>
                <div class="row">
                  <strong>
                    {attempt.status ?? (attempt.error === null ? 'Sent' : 'No answer')}
                  </strong>
                  <span class="soft">{formatDuration(attempt.latency_ms)}</span>
                  <span class="soft">
                    <Time at={attempt.at} />
                  </span>
                </div>
                {attempt.error !== null && <p class="delivery-log-error">{attempt.error}</p>}
                {attempt.response !== null && attempt.response !== '' && (
                  <pre class="delivery-log-answer">{attempt.response}</pre>
                )}
              </li>
            ))}
          </ol>
        )}
        <CodeBlock label="Payload" code={JSON.stringify(delivery.payload, null, 2)} />
      </div>
    </Dialog>
  )
}
