import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { RotateSecretDialog } from '../../../deliveries/rotate-secret-dialog.tsx'
import { Button } from '../../../design/button.tsx'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { asProblem, type Problem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { AlertDeliveries } from './log/alert-deliveries.tsx'
import { TestDialog } from './log/test-dialog.tsx'
import { bodyOf, draftOf, type Rule, type RuleDraft } from './rule/draft.ts'
import { RuleEditor } from './rule/rule-editor.tsx'
import { LastFired, RuleState } from './rule-state.tsx'
import { SecretDialog, secretsOf, showSecrets } from './secrets.tsx'
import './alerts.css'

const listOperation = 'GET /api/v1/projects/{project_id}/alerts'
const readOperation = 'GET /api/v1/projects/{project_id}/alerts/{alert_id}'
const changeOperation = 'PATCH /api/v1/projects/{project_id}/alerts/{alert_id}'

/** One rule: its form, a test of its channels, and the log of what was sent. */
export function AlertPage() {
  const project_id = useProjectId()
  const alert_id = useRoute().params['id'] ?? ''
  const { get, set } = useSearchParams()
  const [isDirty, setDirty] = useState(false)
  const [dialog, setDialog] = useState<'delete' | 'test'>()
  const [rotated, setRotated] = useState<string>()
  const tab = get('tab') === 'deliveries' ? 'deliveries' : 'rule'
  const params = { project_id, alert_id }
  const read = useRead(readOperation, { params }, { topics: ['alerts'] })
  const base = projectPath(project_id, `alerts/${alert_id}`)

  const save = async (draft: RuleDraft) => {
    try {
      const body = bodyOf(draft) as Body<typeof changeOperation>
      const rule = await request(changeOperation, { params, body })
      showToast({ kind: 'done', text: `Saved ${rule.name}.` })
      showSecrets(secretsOf(rule))
      void invalidateReads(readOperation, listOperation)
      return { rule }
    } catch (error) {
      return { problem: asProblem(error) ?? (error as Problem) }
    }
  }
  const rule = read.data
  return (
    <Page
      title={rule?.name ?? 'Alert rule'}
      parent={{ label: 'Alerts', href: projectPath(project_id, 'alerts') }}
      meta={
        rule === undefined ? undefined : (
          <>
            <RuleState rule={rule} />
            <LastFired rule={rule} />
            {!canWrite.value && <span>Viewers read rules; members change them.</span>}
          </>
        )
      }
      actions={
        rule !== undefined && canWrite.value ? (
          <>
            <Button icon="trash" onClick={() => setDialog('delete')}>
              Delete
            </Button>
            <Button
              icon="send"
              disabled={isDirty}
              title={isDirty ? 'Save the rule first' : 'Sends a test notification to every channel'}
              onClick={() => setDialog('test')}
            >
              Send a test
            </Button>
          </>
        ) : undefined
      }
      bar={
        canWrite.value ? (
          <Tabs
            label="Alert rule"
            tabs={[
              { label: 'Rule', href: base, current: tab === 'rule' },
              {
                label: 'Deliveries',
                href: `${base}?tab=deliveries`,
                current: tab === 'deliveries',
              },
            ]}
          />
        ) : undefined
      }
    >
      <Loaded read={read}>
        {(data) =>
          tab === 'deliveries' && canWrite.value ? (
            <AlertDeliveries alertId={alert_id} />
          ) : tab === 'deliveries' ? (
            <EmptyState icon="lock" title="Members and owners see the deliveries">
              <a href={base}>Show the rule</a>
            </EmptyState>
          ) : (
            <RuleEditor
              key={alert_id}
              rule={data}
              first={draftOf(data)}
              save={save}
              onRotate={setRotated}
              onDirty={setDirty}
            />
          )
        }
      </Loaded>
      <SecretDialog />
      {dialog === 'test' && (
        <TestDialog
          alertId={alert_id}
          onClose={() => setDialog(undefined)}
          onLog={() => {
            setDialog(undefined)
            set({ tab: 'deliveries' })
          }}
        />
      )}
      {dialog === 'delete' && rule !== undefined && (
        <DeleteDialog rule={rule} onClose={() => setDialog(undefined)} />
      )}
      {rotated !== undefined && rule !== undefined && (
        <RotateDialog rule={rule} targetId={rotated} onClose={() => setRotated(undefined)} />
      )}
    </Page>
  )
}

function DeleteDialog({ rule, onClose }: { readonly rule: Rule; readonly onClose: () => void }) {
  const project_id = useProjectId()
  const { route } = useLocation()
  const remove = async () => {
    const deleted = await runChange({
      send: () =>
        request('DELETE /api/v1/projects/{project_id}/alerts/{alert_id}', {
          params: { project_id, alert_id: rule.id },
        }),
      done: `Deleted ${rule.name}.`,
      refetch: [listOperation],
    })
    if (deleted !== undefined) route(projectPath(project_id, 'alerts'))
  }
  return (
    <ConfirmDialog
      title={`Delete ${rule.name}`}
      confirm="Delete the rule"
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        The rule, its secrets and its log of deliveries are deleted. To silence it for a time, mute
        it or switch it off.
      </p>
    </ConfirmDialog>
  )
}

function RotateDialog({
  rule,
  targetId,
  onClose,
}: {
  readonly rule: Rule
  readonly targetId: string
  readonly onClose: () => void
}) {
  const project_id = useProjectId()
  const target = rule.then.find(({ id }) => id === targetId)
  const rotate = async () => {
    const rotated = await runChange({
      send: () =>
        request('POST /api/v1/projects/{project_id}/alerts/{alert_id}/rotate-secret', {
          params: { project_id, alert_id: rule.id },
          body: { target_id: targetId },
        }),
    })
    if (rotated === undefined) return
    const { secret, previous_secret_until: previousUntil } = rotated
    showSecrets([{ name: 'The new secret', secret, previousUntil }])
  }
  const webhook = target?.type === 'webhook' ? target.url : 'The webhook'
  return <RotateSecretDialog webhook={webhook} onConfirm={rotate} onClose={onClose} />
}
