import { useLocation } from 'preact-iso'
import { ButtonLink } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { draftOf, type Rule } from './rule/draft.ts'
import { ruleSentence } from './rule/rule-sentence.ts'
import { failingTargets, LastFired, RuleState } from './rule-state.tsx'
import './alerts.css'

/** The rules of a project: what each tells whom, and whether it works. */
export function AlertsPage() {
  const project_id = useProjectId()
  const { route } = useLocation()
  const { get, set } = useSearchParams()
  const read = useRead(
    'GET /api/v1/projects/{project_id}/alerts',
    { params: { project_id } },
    { topics: ['alerts'] },
  )
  const create = projectPath(project_id, 'alerts/new')
  useShortcuts(
    canWrite.value ? [{ keys: 'n', label: 'New alert rule', run: () => route(create) }] : [],
  )
  const hrefOf = ({ id }: Rule) => projectPath(project_id, `alerts/${id}`)
  const failing = read.data?.items.filter((rule) => rule.enabled && failingTargets(rule).length > 0)
  const newRule = (
    <ButtonLink kind="primary" icon="plus" href={create}>
      New rule
    </ButtonLink>
  )
  return (
    <Page
      title="Alerts"
      meta={
        failing !== undefined && failing.length > 0 ? (
          <Badge tone="danger">{failing.length} not delivered</Badge>
        ) : undefined
      }
      actions={canWrite.value ? newRule : undefined}
    >
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="bell" title="No alert rules">
              <p>
                A rule tells people by email, chat or webhook when something new, returned or
                growing happens.
              </p>
              {canWrite.value && newRule}
            </EmptyState>
          ) : (
            <Panel flush>
              <WindowedList
                label="Alert rules"
                items={items}
                keyOf={({ id }) => id}
                rowHeight={76}
                current={get('row')}
                onCurrent={(row) => set({ row }, 'replace')}
                onOpen={(rule) => route(hrefOf(rule))}
                renderRow={(rule) => (
                  <div class="alert-row">
                    <div class="alert-row-text">
                      <a href={hrefOf(rule)}>{rule.name}</a>
                      <p class="soft">{ruleSentence(draftOf(rule))}</p>
                    </div>
                    <RuleState rule={rule} />
                    <span class="alert-row-time soft">
                      <LastFired rule={rule} />
                    </span>
                  </div>
                )}
              />
            </Panel>
          )
        }
      </Loaded>
    </Page>
  )
}
