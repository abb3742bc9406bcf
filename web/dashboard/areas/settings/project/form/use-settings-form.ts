import { useState } from 'preact/hooks'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { asProblem, type ProblemDetail } from '../../../../http/problem.ts'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { showToast } from '../../../../shell/toast-list.ts'
import {
  changedFields,
  changeOf,
  type Edits,
  type Field,
  type FlagField,
  flagOf,
  isPlaced,
  type ListField,
  type NumberField,
  ruleOf,
  type Settings,
  textOf,
} from './settings-draft.ts'
import { useLeaveWarning, useUnsaved } from './unsaved.ts'

export const settingsRead = 'GET /api/v1/projects/{project_id}/settings'

export interface SettingsForm {
  readonly settings: Settings
  readonly flag: (field: FlagField) => boolean
  readonly text: (field: ListField | NumberField) => string
  readonly ruleOf: (field: Field) => string | undefined
  readonly set: <F extends Field>(field: F, value: F extends FlagField ? boolean : string) => void
  readonly isChanged: boolean
  readonly isBusy: boolean
  /** What failed, unless every detail is shown at its field. */
  readonly problem: Error | undefined
  readonly discard: () => void
  readonly onSubmit: (event: Event) => void
  /** The settings as they would be after saving. */
  readonly edits: Edits
}

const noDetails: readonly ProblemDetail[] = []

/** Some fields of the settings of a project as a form. */
export function useSettingsForm(
  projectId: string,
  settings: Settings,
  fields: readonly Field[],
): SettingsForm {
  const [edits = {}, setEdits] = useUnsaved<Edits>('settings', projectId)
  const [sent, setSent] = useState<Edits>({})
  const isChanged = changedFields(settings, edits, fields).length > 0
  useLeaveWarning(isChanged)
  const withoutOwn = () => {
    const others = Object.entries(edits).filter(([field]) => !fields.includes(field as Field))
    return others.length === 0 ? undefined : (Object.fromEntries(others) as Edits)
  }
  const submit = useSubmit(async () => {
    setSent(edits)
    const params = { project_id: projectId }
    const body = changeOf(settings, edits, fields)
    await request('PUT /api/v1/projects/{project_id}/settings', { params, body })
    await invalidateReads(settingsRead)
    setEdits(withoutOwn())
    showToast({ kind: 'done', text: 'Saved. It applies to events that arrive from now on.' })
  })
  const details = asProblem(submit.problem)?.details ?? noDetails
  const isShownAtField = details.length > 0 && details.every((detail) => isPlaced(detail, fields))
  return {
    settings,
    flag: (field) => flagOf(settings, edits, field),
    text: (field) => textOf(settings, edits, field),
    ruleOf: (field) => {
      const typed = sent[field]
      // Corrected since it was sent.
      if (typed !== edits[field]) return undefined
      return ruleOf(details, field, typeof typed === 'string' ? typed : '')
    },
    set: (field, value) => setEdits({ ...edits, [field]: value }),
    isChanged,
    isBusy: submit.isBusy,
    problem: isShownAtField ? undefined : submit.problem,
    discard: () => setEdits(withoutOwn()),
    onSubmit: submit.onSubmit,
    edits,
  }
}
