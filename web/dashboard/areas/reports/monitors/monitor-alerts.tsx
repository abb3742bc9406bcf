import { Loaded } from '../../../design/content/states.tsx'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'

/** The alert rules that tell about failing monitors. */
export function MonitorAlerts() {
  const project_id = useProjectId()
  const read = useRead(
    'GET /api/v1/projects/{project_id}/alerts',
    { params: { project_id } },
    { topics: ['alerts'] },
  )
  return (
    <Loaded read={read} lines={2}>
      {({ items }) => {
        const rules = items.filter(({ when }) =>
          when.some(({ type }) => type === 'monitor_failed' || type === 'monitor_recovered'),
        )
        const create = projectPath(project_id, 'alerts/new?when=monitor_failed')
        if (rules.length === 0) {
          return (
            <p>
              <span class="soft">No alert rule is about monitors.</span>{' '}
              {canWrite.value && <a href={create}>Create one</a>}
            </p>
          )
        }
        return (
          <ul class="stack">
            {rules.map((rule) => (
              <li key={rule.id}>
                <a href={projectPath(project_id, `alerts/${rule.id}`)}>{rule.name}</a>{' '}
                {!rule.enabled && <span class="soft">(off)</span>}
              </li>
            ))}
          </ul>
        )
      }}
    </Loaded>
  )
}
