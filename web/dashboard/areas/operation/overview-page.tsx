import { Badge } from '../../design/content/badge.tsx'
import { Panel } from '../../design/content/page.tsx'
import { Loaded } from '../../design/content/states.tsx'
import { Time } from '../../design/content/time.tsx'
import { Icon } from '../../design/icon.tsx'
import type { Reply } from '../../http/request.ts'
import { useRead } from '../../http/use-read.ts'
import { isOperator } from '../../session/session.ts'
import { OperationPage } from './operation-page.tsx'
import { PipelinePanels } from './pipeline-panels.tsx'
import { ProcessTable } from './process-table.tsx'
import { StorePanels } from './store-panels.tsx'
import './operation.css'

const snapshot = 'GET /api/v1/operation'
export type Snapshot = Reply<typeof snapshot>

const refreshMs = 3_000

/** The figures of `npm run top`: what is slow or full, and what to do about it. */
export function OverviewPage() {
  const read = useRead(snapshot, {}, { refetchEveryMs: refreshMs, enabled: isOperator.value })
  const data = read.data
  return (
    <OperationPage
      title="Operation"
      meta={
        data !== undefined && (
          <span>
            Measured <Time at={data.at} /> · Last backup <Time at={data.last_backup_at} />
          </span>
        )
      }
    >
      <Loaded read={read}>
        {(shown) => (
          <>
            <AdvicePanel advice={shown.advice} />
            <Panel title="Processes" flush>
              <ProcessTable processes={shown.processes} />
            </Panel>
            <PipelinePanels snapshot={shown} />
            <StorePanels snapshot={shown} />
          </>
        )}
      </Loaded>
    </OperationPage>
  )
}

function AdvicePanel({ advice }: { readonly advice: Snapshot['advice'] }) {
  if (advice.length === 0) {
    return (
      <p class="operation-calm">
        <Icon name="check" /> Nothing to do: no queue grows, nothing is full, everything answers.
      </p>
    )
  }
  return (
    <Panel title="What to do next">
      <ol class="stack">
        {advice.map(({ code, severity, text, action }) => (
          <li key={`${code} ${text}`} class="operation-advice">
            <Badge tone={severity === 'problem' ? 'danger' : 'warning'}>{severity}</Badge>
            <div>
              <p>{text}</p>
              <p class="soft">{action}</p>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
