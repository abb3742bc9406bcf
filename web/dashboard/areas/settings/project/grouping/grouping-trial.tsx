import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { asProblem } from '../../../../http/problem.ts'
import { request } from '../../../../http/request.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { StoredEventChoice } from '../trial/stored-event-choice.tsx'
import '../form/settings.css'
import '../trial/trial.css'
import { attempt, type GroupingReply, GroupingResult } from './grouping-result.tsx'
import type { GroupingForm } from './use-grouping-form.ts'

/** Shows how a stored event is grouped with the rules as they are typed. */
export function GroupingTrial({
  projectId,
  form,
}: {
  readonly projectId: string
  readonly form: GroupingForm
}) {
  const params = useSearchParams()
  const eventId = params.get('event') ?? ''
  const tried = JSON.stringify([
    eventId,
    form.field('fingerprint_rules').text,
    form.field('stack_trace_rules').text,
  ])
  const [found, setFound] = useState<{ readonly result: GroupingReply; readonly of: string }>()
  const [isPlaced, setPlaced] = useState(false)
  const submit = useSubmit(async () => {
    const sent = form.change
    const body = { event_id: eventId.trim(), ...sent }
    try {
      const result = await request(attempt, { params: { project_id: projectId }, body })
      form.showRefused(undefined, sent)
      form.showWarnings(result.warnings, sent)
      setFound({ result, of: tried })
    } catch (error) {
      if (error instanceof Error) setPlaced(form.showRefused(error, sent))
      throw error
    }
  })
  const isMissing = asProblem(submit.problem)?.status === 404
  const problem = isMissing || isPlaced ? undefined : submit.unplaced(['event_id'])
  return (
    <Panel title="Try it">
      <form class="stack" onSubmit={submit.onSubmit}>
        <p class="soft small">
          With the rules as they are typed, before they are saved. Nothing is changed: the event
          stays in its issue.
        </p>
        {problem !== undefined && <ProblemBox problem={problem} />}
        <StoredEventChoice
          projectId={projectId}
          eventId={eventId}
          error={
            isMissing
              ? 'must be the id of a stored event of this project'
              : submit.ruleOf('event_id')
          }
          hint="A stored event of this project, as the issue page shows its id."
          onEventId={(id) => params.set({ event: id }, 'replace')}
        />
        <div class="form-actions">
          <Button type="submit" busy={submit.isBusy} disabled={eventId.trim() === ''}>
            Try it
          </Button>
          {submit.problem !== undefined && isPlaced && (
            <span class="small" role="alert">
              The rules are not valid: see their underlined lines.
            </span>
          )}
        </div>
      </form>
      {found !== undefined && found.of === tried && (
        <div class="settings-result stack" role="status">
          <GroupingResult projectId={projectId} result={found.result} />
        </div>
      )}
    </Panel>
  )
}
