import { Button } from '../../../../design/button.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { Loaded, ProblemBox } from '../../../../design/content/states.tsx'
import { useRead } from '../../../../http/use-read.ts'
import { canWrite } from '../../../../session/session.ts'
import { useProjectId } from '../../../../url/use-project.ts'
import type { Settings } from '../form/settings-draft.ts'
import { settingsRead } from '../form/use-settings-form.ts'
import { ProjectSettingsPage } from '../project-settings-page.tsx'
import { GroupingHelp } from './grouping-help.tsx'
import { GroupingTrial } from './grouping-trial.tsx'
import { RuleText } from './rule-text.tsx'
import { useGroupingForm } from './use-grouping-form.ts'

/** Rules with which a project groups its events in another way. */
export function GroupingPage() {
  const projectId = useProjectId()
  const read = useRead(settingsRead, { params: { project_id: projectId } })
  return (
    <ProjectSettingsPage title="Grouping">
      <p class="soft">
        Which events are one issue. The rules apply to new events; events and issues that exist
        already stay as they are.
      </p>
      <Loaded read={read}>
        {(settings) => <GroupingForm key={projectId} projectId={projectId} settings={settings} />}
      </Loaded>
    </ProjectSettingsPage>
  )
}

function GroupingForm({
  projectId,
  settings,
}: {
  readonly projectId: string
  readonly settings: Settings
}) {
  const form = useGroupingForm(projectId, settings.grouping)
  return (
    <div class="columns">
      <div class="stack">
        <form class="stack" onSubmit={form.onSubmit}>
          <Panel title="Fingerprint rules">
            <RuleText
              label="Fingerprint rules"
              hint="The first rule that matches gives the event its fingerprint, before the client does."
              placeholder={'# matchers -> fingerprint\ntype:TimeoutError path:**/db/** -> database'}
              field={form.field('fingerprint_rules')}
            />
          </Panel>
          <Panel title="Stack-trace rules">
            <RuleText
              label="Stack-trace rules"
              hint="Which frames are your own code, and which do not count. A later rule wins."
              placeholder={'# matchers actions\nmodule:com.example.generated.* -app'}
              field={form.field('stack_trace_rules')}
            />
          </Panel>
          {form.problem !== undefined && <ProblemBox problem={form.problem} />}
          {canWrite.value && (
            <div class="form-actions">
              <Button kind="primary" type="submit" busy={form.isBusy} disabled={!form.isChanged}>
                Save
              </Button>
              {form.isChanged && (
                <Button disabled={form.isBusy} onClick={form.discard}>
                  Discard changes
                </Button>
              )}
              <span class="soft small" role="status">
                {form.isChanged ? 'Not saved yet.' : ''}
              </span>
            </div>
          )}
        </form>
        <GroupingTrial projectId={projectId} form={form} />
      </div>
      <GroupingHelp />
    </div>
  )
}
