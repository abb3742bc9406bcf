import { useEffect, useState } from 'preact/hooks'
import {
  lastAttemptWords,
  stateLabels,
  stateTones,
  targetName,
} from '../../../../deliveries/delivery-look.ts'
import { Button } from '../../../../design/button.tsx'
import { Badge } from '../../../../design/content/badge.tsx'
import { ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import type { Delivery } from '../../../../generated/api.d.ts'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { useRead } from '../../../../http/use-read.ts'
import { useProjectId } from '../../../../url/use-project.ts'

const listOperation = 'GET /api/v1/projects/{project_id}/alerts/{alert_id}/deliveries'
const pollMs = 1_000

/** Sends a test to every channel of a rule and shows what came of it. */
export function TestDialog({
  alertId,
  onClose,
  onLog,
}: {
  readonly alertId: string
  readonly onClose: () => void
  readonly onLog: () => void
}) {
  const project_id = useProjectId()
  const params = { project_id, alert_id: alertId }
  const [sent, setSent] = useState<readonly Delivery[]>()
  const [problem, setProblem] = useState<Error>()
  const send = () => {
    setProblem(undefined)
    setSent(undefined)
    request('POST /api/v1/projects/{project_id}/alerts/{alert_id}/test', { params }).then(
      ({ items }) => {
        setSent(items)
        void invalidateReads(listOperation)
      },
      setProblem,
    )
  }
  useEffect(send, [])
  const log = useRead(
    listOperation,
    { params, query: { limit: 20 } },
    { enabled: sent !== undefined, refetchEveryMs: pollMs },
  )
  const now = sent?.map((one) => log.data?.items.find(({ id }) => id === one.id) ?? one)
  return (
    <Dialog
      title="Test of the channels"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onLog}>Show the log</Button>
          <Button icon="send" disabled={sent === undefined} onClick={send}>
            Send again
          </Button>
        </>
      }
    >
      {problem !== undefined ? (
        <ProblemBox problem={problem} onRetry={send} isManual />
      ) : now === undefined ? (
        <Skeleton lines={2} />
      ) : (
        <ul class="delivery-test" aria-live="polite">
          {now.map((delivery) => (
            <li key={delivery.id}>
              <Badge tone={stateTones[delivery.state]}>{stateLabels[delivery.state]}</Badge>
              <span>{targetName(delivery)}</span>
              <span class="soft small">{lastAttemptWords(delivery)}</span>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
