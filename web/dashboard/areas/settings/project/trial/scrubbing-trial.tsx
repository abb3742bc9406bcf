import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { CodeBlock } from '../../../../design/content/copy.tsx'
import { DataTable } from '../../../../design/content/data-table.tsx'
import { formatNumber } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { TextAreaField } from '../../../../design/forms/field.tsx'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { type Reply, request } from '../../../../http/request.ts'
import { changeOf, type Field } from '../form/settings-draft.ts'
import type { SettingsForm } from '../form/use-settings-form.ts'
import { readEvent } from './read-event.ts'

const attempt = 'POST /api/v1/projects/{project_id}/settings/try'
type Result = Reply<typeof attempt>

const sample = JSON.stringify(
  {
    message: 'Login of EMP-123456 failed',
    user: { id: '7', ip_address: '192.0.2.7' },
    extra: { password: 'hunter2', national_id: 'AB123', token_count: 3 },
    request: { url: 'https://shop.test/?access_token=abc', headers: { Cookie: 'sid=1' } },
  },
  null,
  2,
)

/** Shows what the settings, as they are typed, would remove from an event. */
export function ScrubbingTrial({
  projectId,
  form,
  fields,
}: {
  readonly projectId: string
  readonly form: SettingsForm
  readonly fields: readonly Field[]
}) {
  const [text, setText] = useState('')
  const { scrubbing } = changeOf(form.settings, form.edits, fields)
  const tried = JSON.stringify([text, form.settings.scrubbing, scrubbing])
  const [found, setFound] = useState<{ readonly result: Result; readonly of: string }>()
  const read = readEvent(text)
  const submit = useSubmit(async () => {
    if (read.kind === 'error') return
    const body = { event: { ...read.event }, ...(scrubbing === undefined ? {} : { scrubbing }) }
    const result = await request(attempt, { params: { project_id: projectId }, body })
    setFound({ result, of: tried })
  })
  const unplaced = submit.unplaced(['event'])
  const isWrong = text.trim() !== '' && read.kind === 'error'
  return (
    <Panel
      title="Try it"
      actions={
        <Button size="s" onClick={() => setText(sample)}>
          Insert a sample
        </Button>
      }
    >
      <form class="stack" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
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
            hint="JSON as an SDK sends it, up to 64 KiB. It is scrubbed with the settings above as they are typed, and not stored."
          />
        </div>
        <div class="form-actions">
          <Button type="submit" busy={submit.isBusy} disabled={read.kind === 'error'}>
            Show what is removed
          </Button>
        </div>
      </form>
      {found !== undefined && found.of === tried && (
        <div class="settings-result stack" role="status">
          <Outcome result={found.result} />
        </div>
      )}
    </Panel>
  )
}

function Outcome({
  result: { removed, is_complete: isComplete, event },
}: {
  readonly result: Result
}) {
  if (removed.length === 0) return <p>Nothing would be removed from this event.</p>
  return (
    <>
      {!isComplete && <p>More than {formatNumber(removed.length)} values; the first ones:</p>}
      <DataTable
        label="What is removed"
        items={removed}
        keyOf={({ field, rule }) => `${field} ${rule}`}
        columns={[
          { head: 'Field', cell: ({ field }) => <code>{field}</code> },
          { head: 'Rule', cell: ({ rule }) => rule },
        ]}
      />
      <CodeBlock label="What is stored" code={JSON.stringify(event, null, 2)} />
    </>
  )
}
