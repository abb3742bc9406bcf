import { useState } from 'preact/hooks'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { useRead } from '../../../http/use-read.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { checkInSnippets } from './check-in-snippets.ts'

/** Snippets that report the runs of a job, one at a time. */
export function CheckInSnippets({ slug }: { readonly slug: string }) {
  const projectId = useProjectId()
  const projects = useRead('GET /api/v1/organization/projects', {})
  const project = projects.data?.items.find(({ id }) => id === projectId)
  const snippets = checkInSnippets({ dsn: project?.dsn ?? undefined, slug })
  const [label, setLabel] = useState(snippets[0]?.label ?? '')
  const shown = snippets.find((snippet) => snippet.label === label) ?? snippets[0]
  return (
    <div class="stack monitor-snippets">
      <div class="reports-choice">
        <SelectField
          label="Send check-ins with"
          value={label}
          choices={snippets.map((snippet) => ({ value: snippet.label, label: snippet.label }))}
          onValue={setLabel}
        />
      </div>
      {shown !== undefined && <CodeBlock label={shown.label} code={shown.code} />}
    </div>
  )
}
