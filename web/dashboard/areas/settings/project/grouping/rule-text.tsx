import { useState } from 'preact/hooks'
import { canWrite } from '../../../../session/session.ts'
import { LineProblems } from '../ownership/line-problem-list.tsx'
import { RulesEditor } from '../ownership/rules-editor.tsx'
import type { RuleField } from './use-grouping-form.ts'

/** One of the two texts, with what is wrong in its lines. */
export function RuleText({
  label,
  hint,
  placeholder,
  field,
}: {
  readonly label: string
  readonly hint: string
  readonly placeholder: string
  readonly field: RuleField
}) {
  const [selected, setSelected] = useState<{ readonly line: number; readonly at: number }>()
  const select = (line: number) => setSelected({ line, at: Date.now() })
  return (
    <div class="stack">
      <p class="soft small">{hint}</p>
      <RulesEditor
        label={label}
        value={field.text}
        readOnly={!canWrite.value}
        placeholder={placeholder}
        rows={8}
        errors={field.errors}
        warnings={field.warnings}
        selected={selected}
        onText={field.set}
      />
      <LineProblems kind="error" items={field.errors} onSelect={select} />
      <LineProblems kind="warning" items={field.warnings} onSelect={select} />
    </div>
  )
}
