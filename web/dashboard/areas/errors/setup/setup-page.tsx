import { CodeBlock, CopyValue } from '../../../design/content/copy.tsx'
import { Page } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { useRead } from '../../../http/use-read.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { ArrivalPanel } from './arrival-panel.tsx'
import { platforms, readDsn } from './snippets.ts'
import { useArrival } from './use-arrival.ts'
import './setup.css'

/** From nothing to the first event: choose a platform, copy, watch it arrive. */
export function SetupPage() {
  const projectId = useProjectId()
  const params = useSearchParams()
  const platform = platforms.find(({ id }) => id === params.get('platform')) ?? platforms[1]!
  const arrival = useArrival(projectId)
  const keys = useRead('GET /api/v1/projects/{project_id}/keys', {
    params: { project_id: projectId },
  })
  const active = keys.data?.items.filter(({ status }) => status === 'active')
  const key = active?.find(({ id }) => id === params.get('key')) ?? active?.[0]
  const linkTo = (id: string) => {
    const query = new URLSearchParams(params.text)
    query.set('platform', id)
    return `${projectPath(projectId, 'setup')}?${query}`
  }
  return (
    <Page title="Send the first event">
      <div class="setup">
        <aside class="setup-side">
          <ArrivalPanel projectId={projectId} arrival={arrival} platform={platform} />
        </aside>
        <div class="stack">
          <nav class="setup-platforms" aria-label="Platform">
            {platforms.map(({ id, name }) => (
              <a key={id} href={linkTo(id)} aria-current={id === platform.id ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          {keys.problem !== undefined && keys.data === undefined ? (
            <ProblemBox problem={keys.problem} onRetry={keys.refetch} />
          ) : active === undefined ? (
            <Skeleton lines={8} />
          ) : key === undefined ? (
            <EmptyState icon="key" title="No active DSN key">
              <p>SDKs need a DSN. Enable a key, or make a new one, in the project’s settings.</p>
              <a href={projectPath(projectId, 'settings')}>Open the settings</a>
            </EmptyState>
          ) : (
            <>
              {active.length > 1 && (
                <SelectField
                  label="Component"
                  hint="Events carry the name of the component whose DSN sent them."
                  value={key.id}
                  choices={active.map(({ id, label }) => ({
                    value: id,
                    label: label ?? 'No component',
                  }))}
                  onValue={(id) => params.set({ key: id })}
                />
              )}
              <div class="setup-dsn">
                <span class="field-label">DSN</span>
                <CopyValue label="the DSN" value={key.dsn} />
              </div>
              <ol class="setup-steps">
                {platform.snippets(readDsn(key.dsn)).map((snippet, index) => (
                  <li key={`${platform.id} ${index}`}>
                    <CodeBlock {...snippet} />
                  </li>
                ))}
              </ol>
            </>
          )}
        </div>
      </div>
    </Page>
  )
}
