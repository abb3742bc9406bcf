import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { CheckField, TextField } from '../../../../design/forms/field.tsx'
import type { Problem, ProblemDetail } from '../../../../http/problem.ts'
import { useShortcuts } from '../../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../../session/session.ts'
import { Notice } from '../../common/numbers.tsx'
import { ConditionList } from './condition-list.tsx'
import { draftOf, isChanged, type Rule, type RuleDraft } from './draft.ts'
import { fieldErrors, withoutSection } from './field-errors.ts'
import { FilterFields } from './filter-fields.tsx'
import { NoiseFields } from './noise-fields.tsx'
import { PreviewPanel, usePreview, Warnings } from './preview-panel.tsx'
import { ruleSentences } from './rule-sentence.ts'
import { filterUse } from './rule-words.ts'
import { TargetList } from './target-list.tsx'

interface EditorProps {
  /** Undefined for a new rule. */
  readonly rule: Rule | undefined
  readonly first: RuleDraft
  /** The stored rule, or why it was refused. */
  readonly save: (
    draft: RuleDraft,
  ) => Promise<{ readonly rule: Rule } | { readonly problem: Problem }>
  readonly onRotate: (targetId: string) => void
  readonly onDirty: (isDirty: boolean) => void
}

const sections = [
  'name',
  'when',
  'if',
  'then',
  'cooldown_seconds',
  'digest_seconds',
  'quiet_hours',
  'muted_until',
  'enabled',
] as const

/** The form of a rule, with what it means and would have done beside it. */
export function RuleEditor({ rule, first, save, onRotate, onDirty }: EditorProps) {
  const [draft, setDraft] = useState(first)
  const [details, setDetails] = useState<readonly ProblemDetail[]>([])
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const [base, setBase] = useState(rule)
  const isDirty = base === undefined || isChanged(draft, base)
  useEffect(() => onDirty(isDirty), [isDirty])
  // What another person saved is taken over as long as nothing is typed.
  const isOutdated = rule !== undefined && base !== undefined && rule.updated_at !== base.updated_at
  const takeOver = (newer: Rule) => {
    setBase(newer)
    setDraft(draftOf(newer))
    setDetails([])
  }
  useEffect(() => {
    if (isOutdated && !isDirty) takeOver(rule)
  }, [isOutdated, isDirty])
  useEffect(() => {
    if (!isDirty || base === undefined) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isDirty, base])

  const preview = usePreview(draft)
  const disabled = !canWrite.value
  // The search is a language: its error is shown while it is typed.
  const searched = preview.problem?.details.filter(({ field }) => field.startsWith('if.')) ?? []
  const errors = fieldErrors([...details, ...searched])
  const change = (changed: Partial<RuleDraft>) => {
    setDraft((before) => ({ ...before, ...changed }))
    setDetails((before) => Object.keys(changed).reduce(withoutSection, before))
  }
  const submit = async () => {
    if (disabled || busy || !isDirty) return
    setBusy(true)
    setProblem(undefined)
    const result = await save(draft)
    setBusy(false)
    if ('rule' in result) return takeOver(result.rule)
    setDetails(result.problem.details)
    setProblem(result.problem)
  }
  useShortcuts(
    disabled ? [] : [{ keys: 'Mod+s', label: 'Save the rule', run: () => void submit() }],
  )
  const [summary = '', ...noise] = ruleSentences(draft)
  const use = filterUse(draft.when.map(({ type }) => type))
  const others = errors.others(sections)
  return (
    <div class="columns alert-editor">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {problem !== undefined && (problem.details.length === 0 || others.length > 0) && (
          <ProblemBox problem={problem} />
        )}
        {isOutdated && isDirty && (
          <Notice>
            Another person has changed this rule meanwhile.{' '}
            <Button size="s" onClick={() => takeOver(rule)}>
              Discard mine and show it
            </Button>
          </Notice>
        )}
        <Panel>
          <div class="stack">
            <TextField
              label="Name"
              value={draft.name}
              placeholder="Checkout in production"
              disabled={disabled}
              error={errors.of('name')}
              onText={(name) => change({ name })}
            />
            <CheckField
              label="The rule is on"
              checked={draft.enabled}
              disabled={disabled}
              onChecked={(enabled) => change({ enabled })}
            />
          </div>
        </Panel>
        <Panel title="When">
          <ConditionList
            conditions={draft.when}
            errors={errors}
            disabled={disabled}
            onConditions={(when) => change({ when })}
          />
        </Panel>
        <Panel title="If">
          <FilterFields
            filter={draft.if}
            use={use}
            errors={errors}
            disabled={disabled}
            onFilter={(filter) => change({ if: filter })}
          />
        </Panel>
        <Panel title="Then">
          <TargetList
            targets={draft.then}
            errors={errors}
            disabled={disabled}
            onTargets={(then) => change({ then })}
            onRotate={onRotate}
          />
        </Panel>
        <Panel title="Noise">
          <NoiseFields draft={draft} errors={errors} disabled={disabled} onDraft={change} />
        </Panel>
        {!disabled && (
          <div class="form-actions alert-save">
            <Button kind="primary" type="submit" busy={busy} disabled={!isDirty}>
              {rule === undefined ? 'Create the rule' : 'Save'}
            </Button>
            {base !== undefined && isDirty && (
              <Button onClick={() => takeOver(base)}>Discard</Button>
            )}
            {base !== undefined && isDirty && <span class="small soft">Not saved</span>}
            {details.length > 0 && (
              <span class="field-error" role="status">
                {details.length === 1 ? 'One field' : `${details.length} fields`} to correct
              </span>
            )}
          </div>
        )}
      </form>
      <aside class="alert-aside stack">
        <Panel title="Summary">
          <div class="stack small" aria-live="polite">
            <p class="alert-sentence">{summary}</p>
            {noise.map((sentence) => (
              <p key={sentence} class="soft">
                {sentence}
              </p>
            ))}
          </div>
        </Panel>
        <Panel title="Preview">
          <PreviewPanel state={preview} />
        </Panel>
        <Warnings
          warnings={[
            ...(preview.preview?.warnings ?? []),
            // Those about stored targets are not part of a preview.
            ...(isDirty ? [] : (rule?.warnings ?? [])),
          ]}
        />
      </aside>
    </div>
  )
}
