import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { CheckField, SelectField, TextAreaField, TextField } from '../../../design/forms/field.tsx'
import { asProblem } from '../../../http/problem.ts'
import { canWrite } from '../../../session/session.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { originsOf } from './origins-of.ts'
import { type PortalSettings, type PortalTabProps, saveSettings } from './portal-settings.ts'

interface Draft {
  readonly moderation: PortalSettings['moderation']
  readonly enduser_auth: boolean
  readonly reads_need_token: boolean
  readonly origins: string
  readonly search_language: string
  readonly links_max: string
  readonly suggestions_per_hour_max: string
  readonly votes_per_minute_max: string
}

function draftOf(settings: PortalSettings): Draft {
  return {
    moderation: settings.moderation,
    enduser_auth: settings.enduser_auth,
    reads_need_token: settings.reads_need_token,
    origins: settings.allowed_origins.join('\n'),
    search_language: settings.search_language,
    links_max: String(settings.links_max),
    suggestions_per_hour_max: String(settings.suggestions_per_hour_max),
    votes_per_minute_max: String(settings.votes_per_minute_max),
  }
}

/** Who may read, write and frame the portal, and what waits for approval. */
export function PortalRules({ projectId, settings }: PortalTabProps) {
  const [draft, setDraft] = useState(() => draftOf(settings))
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const isReadOnly = !canWrite.value
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(settings))
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const rules = asProblem(problem)
  const rule = (name: string) =>
    rules?.ruleOf(name) ?? rules?.details.find(({ field }) => field.startsWith(`${name}.`))?.rule
  const save = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const { origins, links_max, suggestions_per_hour_max, votes_per_minute_max, ...same } = draft
      const saved = await saveSettings(projectId, {
        ...same,
        allowed_origins: originsOf(origins),
        links_max: Number(links_max),
        suggestions_per_hour_max: Number(suggestions_per_hour_max),
        votes_per_minute_max: Number(votes_per_minute_max),
      })
      setDraft(draftOf(saved))
      showToast({ kind: 'done', text: 'Saved. It takes effect within three seconds.' })
    } catch (error) {
      setProblem(error as Error)
    }
    setBusy(false)
  }
  const hasFieldProblem = (rules?.details.length ?? 0) > 0
  const numbers = [
    ['links_max', 'Links in one text', 'A text with more links waits for approval.', 0],
    [
      'suggestions_per_hour_max',
      'Suggestions an hour',
      'For all visitors together. One IP address may use a quarter of it.',
      1,
    ],
    [
      'votes_per_minute_max',
      'Votes a minute',
      'From one address. Raise it for offices that share one.',
      5,
    ],
  ] as const
  return (
    <form
      class="portal-rules"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {problem !== undefined && !hasFieldProblem && <ProblemBox problem={problem} />}
      <fieldset class="portal-fields" disabled={isReadOnly}>
        <legend class="screen-reader">Rules</legend>
        <Panel title="Moderation">
          <div class="form">
            <SelectField
              label="Approval required for"
              value={draft.moderation}
              choices={[
                { value: 'off', label: 'Nothing' },
                { value: 'ideas', label: 'New ideas' },
                { value: 'all', label: 'New ideas and comments' },
              ]}
              hint="Texts of trusted users are published at once in any case."
              onValue={(moderation) => change({ moderation: moderation as Draft['moderation'] })}
            />
            <CountField field={numbers[0]} draft={draft} onChange={change} ruleOf={rule} />
          </div>
        </Panel>
        <Panel title="Who may write">
          <div class="form">
            <CheckField
              label="Only users whom your site has signed in"
              hint={
                settings.live_secrets === 0
                  ? 'Create a secret under Sign-in first.'
                  : 'Votes, ideas, comments and feedback need a valid token.'
              }
              checked={draft.enduser_auth}
              disabled={settings.live_secrets === 0 && !draft.enduser_auth}
              onChecked={(enduser_auth) => change({ enduser_auth })}
              error={rule('enduser_auth')}
            />
            <CheckField
              label="Show own votes only with a token"
              hint="Otherwise an id of a user is enough to see what the user voted for."
              checked={draft.reads_need_token}
              onChecked={(reads_need_token) => change({ reads_need_token })}
            />
            {numbers.slice(1).map((field) => (
              <CountField
                key={field[0]}
                field={field}
                draft={draft}
                onChange={change}
                ruleOf={rule}
              />
            ))}
          </div>
        </Panel>
        <Panel title="Where it may be shown">
          <div class="form">
            <TextAreaField
              label="Allowed origins"
              hint="Pages that may call or frame the portal, one a line: https://app.example.com or https://*.example.com. Empty: any page. The hosted page and this dashboard are always allowed."
              rows={4}
              spellcheck={false}
              value={draft.origins}
              onText={(origins) => change({ origins })}
              error={rule('allowed_origins')}
            />
            <TextField
              label="Language of the search"
              hint="simple finds exact words. english, german and others also find other forms of a word."
              value={draft.search_language}
              onText={(search_language) => change({ search_language })}
              error={rule('search_language')}
            />
          </div>
        </Panel>
      </fieldset>
      <div class="form-actions">
        <Button kind="primary" type="submit" busy={busy} disabled={!isChanged || isReadOnly}>
          Save
        </Button>
        {isReadOnly && <span class="soft small">Members of the organization can change this.</span>}
      </div>
    </form>
  )
}

interface CountProps {
  readonly field: readonly [
    name: 'links_max' | 'suggestions_per_hour_max' | 'votes_per_minute_max',
    label: string,
    hint: string,
    min: number,
  ]
  readonly draft: Draft
  readonly onChange: (part: Partial<Draft>) => void
  readonly ruleOf: (name: string) => string | undefined
}

function CountField({ field: [name, label, hint, min], draft, onChange, ruleOf }: CountProps) {
  return (
    <TextField
      label={label}
      type="number"
      inputMode="numeric"
      min={min}
      required
      hint={hint}
      value={draft[name]}
      onText={(text) => onChange({ [name]: text })}
      error={ruleOf(name)}
    />
  )
}
