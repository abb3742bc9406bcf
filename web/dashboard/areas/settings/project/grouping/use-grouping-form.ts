import { useState } from 'preact/hooks'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { asProblem } from '../../../../http/problem.ts'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { showToast } from '../../../../shell/toast-list.ts'
import type { Settings } from '../form/settings-draft.ts'
import { useLeaveWarning, useUnsaved } from '../form/unsaved.ts'
import { settingsRead } from '../form/use-settings-form.ts'
import { type LineProblem, readProblems, stillPresent } from '../ownership/line-problems.ts'

type Rules = Settings['grouping']
export type RuleName = keyof Rules

export interface RuleField {
  readonly text: string
  readonly errors: readonly LineProblem[]
  /** About rules that the API accepted: a tag that no event has. */
  readonly warnings: readonly LineProblem[]
  readonly set: (text: string) => void
}

export interface GroupingForm {
  readonly field: (name: RuleName) => RuleField
  /** Only texts that differ from the stored ones. */
  readonly change: Partial<Rules>
  readonly isChanged: boolean
  readonly isBusy: boolean
  /** What failed, unless it is shown at a line. */
  readonly problem: Error | undefined
  readonly discard: () => void
  readonly onSubmit: (event: Event) => void
  /** Shows at their lines what the API refused while the rules were tried. */
  readonly showRefused: (problem: Error | undefined, sent: Partial<Rules>) => boolean
  /** Shows at their lines what the API says about rules that it accepted. */
  readonly showWarnings: (warnings: readonly LineProblem[], sent: Partial<Rules>) => void
}

const names: readonly RuleName[] = ['fingerprint_rules', 'stack_trace_rules']
/** Only these rules name tags. */
const warnedName = 'fingerprint_rules' satisfies RuleName
type Refused = { readonly [Name in RuleName]?: { lines: readonly LineProblem[]; of: string } }

export function useGroupingForm(projectId: string, stored: Rules): GroupingForm {
  const [typed = {}, setTyped] = useUnsaved<Partial<Rules>>('grouping', projectId)
  const [refused, setRefused] = useState<Refused>({})
  const [warned, setWarned] = useState<Refused>({})
  const change: Partial<Rules> = Object.fromEntries(
    names.flatMap((name) => {
      const text = typed[name]
      return text === undefined || text === stored[name] ? [] : [[name, text]]
    }),
  )
  const isChanged = Object.keys(change).length > 0
  useLeaveWarning(isChanged)

  const showRefused = (problem: Error | undefined, sent: Partial<Rules>): boolean => {
    const details = asProblem(problem)?.details ?? []
    const found: Partial<Record<RuleName, { lines: readonly LineProblem[]; of: string }>> = {}
    let placed = 0
    for (const name of names) {
      for (const field of [name, `grouping.${name}`]) {
        const { lines } = readProblems(details, field)
        placed += lines.length
        if (lines.length > 0) found[name] = { lines, of: sent[name] ?? stored[name] }
      }
    }
    setRefused(found)
    return details.length > 0 && placed === details.length
  }
  const showWarnings = (lines: readonly LineProblem[], sent: Partial<Rules>) => {
    const of = sent[warnedName]
    if (of !== undefined) setWarned({ [warnedName]: { lines, of } })
  }
  const submit = useSubmit(async () => {
    const params = { project_id: projectId }
    const body = { grouping: change }
    try {
      const saved = await request('PUT /api/v1/projects/{project_id}/settings', { params, body })
      showWarnings(saved.warnings, change)
    } catch (error) {
      if (error instanceof Error) showRefused(error, change)
      throw error
    }
    setRefused({})
    await invalidateReads(settingsRead)
    setTyped(undefined)
    showToast({ kind: 'done', text: 'Saved. The rules apply to events that arrive from now on.' })
  })
  const details = asProblem(submit.problem)?.details ?? []
  const isPlaced =
    details.length > 0 && details.every(({ rule }) => /^line \d+, character \d+: /.test(rule))
  return {
    field: (name) => {
      const text = typed[name] ?? stored[name]
      const { lines = [], of = '' } = refused[name] ?? {}
      return {
        text,
        errors: stillPresent(lines, of, text),
        warnings: stillPresent(warned[name]?.lines ?? [], warned[name]?.of ?? '', text),
        set: (next) => setTyped({ ...typed, [name]: next }),
      }
    },
    change,
    isChanged,
    isBusy: submit.isBusy,
    problem: isPlaced ? undefined : submit.problem,
    discard: () => {
      setTyped(undefined)
      setRefused({})
    },
    onSubmit: submit.onSubmit,
    showRefused,
    showWarnings,
  }
}
