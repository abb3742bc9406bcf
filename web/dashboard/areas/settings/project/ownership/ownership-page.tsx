import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { Loaded, ProblemBox } from '../../../../design/content/states.tsx'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { asProblem } from '../../../../http/problem.ts'
import { queryClient } from '../../../../http/query-client.ts'
import { type Reply, request } from '../../../../http/request.ts'
import { readKey, useRead } from '../../../../http/use-read.ts'
import { canWrite } from '../../../../session/session.ts'
import { showToast } from '../../../../shell/toast-list.ts'
import { useProjectId } from '../../../../url/use-project.ts'
import { useLeaveWarning, useUnsaved } from '../form/unsaved.ts'
import { ProjectSettingsPage } from '../project-settings-page.tsx'
import { LineProblems } from './line-problem-list.tsx'
import { readProblems, stillPresent } from './line-problems.ts'
import { RulesEditor } from './rules-editor.tsx'
import { RulesHelp } from './rules-help.tsx'
import { RulesTrial } from './rules-trial.tsx'

const ownership = 'GET /api/v1/projects/{project_id}/ownership'
type Ownership = Reply<typeof ownership>

/** Who gets a new issue: rules as in a CODEOWNERS file. */
export function OwnershipPage() {
  const projectId = useProjectId()
  const read = useRead(ownership, { params: { project_id: projectId } })
  return (
    <ProjectSettingsPage title="Ownership rules">
      <p class="soft">
        A new issue is assigned to the owner of its code. The last rule that matches decides. Issues
        that exist already keep their assignee.
      </p>
      <Loaded read={read}>
        {(stored) => <OwnershipForm key={projectId} projectId={projectId} stored={stored} />}
      </Loaded>
    </ProjectSettingsPage>
  )
}

function OwnershipForm({
  projectId,
  stored,
}: {
  readonly projectId: string
  readonly stored: Ownership
}) {
  const [typed, setTyped] = useUnsaved<string>('ownership', projectId)
  const [sentText, setSentText] = useState('')
  const [selected, setSelected] = useState<{ readonly line: number; readonly at: number }>()
  const text = typed ?? stored.rules
  const isChanged = text !== stored.rules
  useLeaveWarning(isChanged)
  const save = async (skipInvalid: boolean) => {
    setSentText(text)
    const params = { project_id: projectId }
    const body = { rules: text, skip_invalid: skipInvalid }
    const saved = await request('PUT /api/v1/projects/{project_id}/ownership', { params, body })
    queryClient.setQueryData(readKey(ownership, { params }), saved)
    setTyped(undefined)
    showToast({ kind: 'done', text: 'Saved. The rules apply to issues that are new from now on.' })
  }
  const submit = useSubmit(() => save(false))
  const skip = useSubmit(() => save(true))
  const refused = readProblems(asProblem(submit.problem)?.details ?? [])
  const errors = isChanged ? stillPresent(refused.lines, sentText, text) : []
  const warnings = stillPresent(stored.warnings, stored.rules, text)
  const isPlaced = refused.lines.length > 0 && refused.others.length === 0
  const problem = skip.problem ?? (isPlaced ? undefined : submit.problem)
  const select = (line: number) => setSelected({ line, at: Date.now() })
  return (
    <div class="columns">
      <div class="stack">
        <Panel title="Rules">
          <form class="stack" onSubmit={submit.onSubmit}>
            {problem !== undefined && <ProblemBox problem={problem} />}
            <RulesEditor
              label="Ownership rules"
              value={text}
              readOnly={!canWrite.value}
              placeholder={'# pattern  owners\nsrc/api/**  #server ada@example.com'}
              errors={errors}
              warnings={warnings}
              selected={selected}
              onText={setTyped}
            />
            <LineProblems kind="error" items={errors} onSelect={select} />
            <LineProblems kind="warning" items={warnings} onSelect={select} />
            {canWrite.value && (
              <div class="form-actions">
                <Button
                  kind="primary"
                  type="submit"
                  busy={submit.isBusy}
                  disabled={!isChanged || skip.isBusy}
                >
                  Save
                </Button>
                {errors.length > 0 && (
                  <Button busy={skip.isBusy} onClick={skip.onSubmit}>
                    Save and skip these lines
                  </Button>
                )}
                {isChanged && <Button onClick={() => setTyped(undefined)}>Discard changes</Button>}
                <span class="soft small" role="status">
                  {isChanged ? 'Not saved yet.' : ''}
                </span>
              </div>
            )}
          </form>
        </Panel>
        <RulesTrial
          projectId={projectId}
          rules={isChanged ? text : undefined}
          onSelectLine={select}
        />
      </div>
      <RulesHelp />
    </div>
  )
}
