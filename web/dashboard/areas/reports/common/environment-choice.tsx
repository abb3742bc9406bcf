import { SelectField } from '../../../design/forms/field.tsx'
import { useRead } from '../../../http/use-read.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'

/** A filter by environment, kept in the address. Its values are those of stored events. */
export function EnvironmentChoice({ others = [] }: { readonly others?: readonly string[] }) {
  const { get, set } = useSearchParams()
  const chosen = get('environment')
  const values = useTagValues('environment')
  const names = [...new Set([...values, ...others, ...(chosen === undefined ? [] : [chosen])])]
  return (
    <div class="reports-choice">
      <SelectField
        label="Environment"
        hideLabel
        value={chosen ?? ''}
        choices={[
          { value: '', label: 'All environments' },
          ...names.sort().map((name) => ({ value: name, label: name })),
        ]}
        onValue={(environment) => set({ environment })}
      />
    </div>
  )
}

/** Values of a field or tag in stored events, most frequent first. */
export function useTagValues(key: string): readonly string[] {
  const project_id = useProjectId()
  const read = useRead('GET /api/v1/projects/{project_id}/tags/{key}/values', {
    params: { project_id, key },
    query: { limit: 50 },
  })
  return read.data?.items.map(({ value }) => value) ?? []
}
