import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Page } from '../../../design/content/page.tsx'
import { EmptyState } from '../../../design/content/states.tsx'
import { asProblem, type Problem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, request } from '../../../http/request.ts'
import { canWrite } from '../../../session/session.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { bodyOf, newDraft, type RuleDraft } from './rule/draft.ts'
import { RuleEditor } from './rule/rule-editor.tsx'
import { conditionGroups } from './rule/rule-words.ts'
import { secretsOf, showSecrets } from './secrets.tsx'
import './alerts.css'

const operation = 'POST /api/v1/projects/{project_id}/alerts'

/** `?when=monitor_failed` begins with that condition. */
export function NewAlertPage() {
  const project_id = useProjectId()
  const { route } = useLocation()
  const { get } = useSearchParams()
  const first = useMemo(() => {
    const types = conditionGroups.flatMap((group) => group.types.map(({ type }) => type))
    return newDraft(types.find((type) => type === get('when')))
  }, [])
  const save = async (draft: RuleDraft) => {
    try {
      const rule = await request(operation, {
        params: { project_id },
        body: bodyOf(draft) as Body<typeof operation>,
      })
      showToast({ kind: 'done', text: `Created ${rule.name}.` })
      showSecrets(secretsOf(rule))
      void invalidateReads('GET /api/v1/projects/{project_id}/alerts')
      route(projectPath(project_id, `alerts/${rule.id}`), true)
      return { rule }
    } catch (error) {
      return { problem: asProblem(error) ?? (error as Problem) }
    }
  }
  const parent = { label: 'Alerts', href: projectPath(project_id, 'alerts') }
  if (!canWrite.value) {
    return (
      <Page title="New alert rule" parent={parent}>
        <EmptyState icon="lock" title="Members and owners create alert rules">
          <a href={projectPath(project_id, 'alerts')}>Show the rules</a>
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page title="New alert rule" parent={parent}>
      <RuleEditor
        rule={undefined}
        first={first}
        save={save}
        onRotate={() => undefined}
        onDirty={() => undefined}
      />
    </Page>
  )
}
