import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { TextAreaField } from '../../../../design/forms/field.tsx'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { asProblem } from '../../../../http/problem.ts'
import { request } from '../../../../http/request.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { changeOf, type Field } from '../form/settings-draft.ts'
import type { SettingsForm } from '../form/use-settings-form.ts'
import { readEvent } from './read-event.ts'
import { sampleEvent } from './sample-event.ts'
import { StoredEventChoice } from './stored-event-choice.tsx'
import { attempt, type TrialReply, TrialResult } from './trial-result.tsx'
import './trial.css'

/** Of both pages, because an event passes both: what is typed on the other page is tried, too. */
const triedFields: readonly Field[] = [
  'scrubbing.defaults',
  'scrubbing.ip_addresses',
  'scrubbing.sensitive_keys',
  'scrubbing.safe_keys',
  'scrubbing.patterns',
  'filters.browser_extensions',
  'filters.legacy_browsers',
  'filters.localhost',
  'filters.web_crawlers',
  'filters.releases',
  'filters.error_messages',
]

/** Shows what the settings, as they are typed, would do to an event. */
export function SettingsTrial({
  projectId,
  form,
}: {
  readonly projectId: string
  readonly form: SettingsForm
}) {
  const params = useSearchParams()
  const isStored = params.get('try') === 'stored'
  const eventId = params.get('event') ?? ''
  const [text, setText] = useState('')
  const { scrubbing, filters } = changeOf(form.settings, form.edits, triedFields)
  const read = readEvent(text)
  const event = isStored ? { event_id: eventId.trim() } : { event: textOf(read) }
  const tried = JSON.stringify([event, form.settings, scrubbing, filters])
  const [found, setFound] = useState<{ readonly result: TrialReply; readonly of: string }>()
  const submit = useSubmit(async () => {
    const body = {
      ...event,
      ...(scrubbing === undefined ? {} : { scrubbing }),
      ...(filters === undefined ? {} : { filters }),
    }
    const result = await request(attempt, { params: { project_id: projectId }, body })
    setFound({ result, of: tried })
  })
  const isMissing = isStored && asProblem(submit.problem)?.status === 404
  const problem = isMissing ? undefined : submit.unplaced(['event', 'event_id'])
  const isWrong = text.trim() !== '' && read.kind === 'error'
  const isReady = isStored ? eventId.trim() !== '' : read.kind === 'event'
  return (
    <Panel
      title="Try it"
      actions={
        !isStored && (
          <Button size="s" onClick={() => setText(sampleEvent)}>
            Insert a sample
          </Button>
        )
      }
    >
      <form class="stack" onSubmit={submit.onSubmit}>
        <p class="soft small">
          With the filters and the scrubbing as they are typed, also on the other page and before
          they are saved. Nothing is stored. Allowed origins are not tried: they are checked when an
          event arrives.
        </p>
        {problem !== undefined && <ProblemBox problem={problem} />}
        <fieldset class="trial-source">
          <legend class="screen-reader">Which event</legend>
          <label>
            <input
              type="radio"
              name="trial-source"
              checked={!isStored}
              onChange={() => params.set({ try: undefined, event: undefined }, 'replace')}
            />
            An event I paste
          </label>
          <label>
            <input
              type="radio"
              name="trial-source"
              checked={isStored}
              onChange={() => params.set({ try: 'stored' }, 'replace')}
            />
            A stored event
          </label>
        </fieldset>
        {isStored ? (
          <StoredEventChoice
            projectId={projectId}
            eventId={eventId}
            error={
              isMissing
                ? 'must be the id of a stored event of this project'
                : submit.ruleOf('event_id')
            }
            onEventId={(id) => params.set({ event: id }, 'replace')}
          />
        ) : (
          <div class="settings-list">
            <TextAreaField
              label="Event"
              rows={10}
              spellcheck={false}
              autocapitalize="off"
              autocomplete="off"
              value={text}
              onText={setText}
              placeholder='{"message": "…", "extra": {"password": "…"}}'
              error={isWrong ? read.rule : submit.ruleOf('event')}
              hint="JSON as an SDK sends it, up to 1 MiB."
            />
          </div>
        )}
        <div class="form-actions">
          <Button type="submit" busy={submit.isBusy} disabled={!isReady}>
            Try it
          </Button>
        </div>
      </form>
      {found !== undefined && found.of === tried && (
        <div class="settings-result stack" role="status">
          <TrialResult result={found.result} />
        </div>
      )}
    </Panel>
  )
}

function textOf(read: ReturnType<typeof readEvent>): string {
  return read.kind === 'event' ? read.text : ''
}
