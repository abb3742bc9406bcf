import { useCallback } from 'preact/hooks'
import { useRead } from '../../../http/use-read.ts'
import { useProjectId } from '../../../url/use-project.ts'
import type { SplitBy } from './outcome-sums.ts'

/** What a missing value means. */
const noneNames = { component: 'none', sdk: 'unknown', key: 'no known key' } as const
const keyCharacters = 8

/** Names components, SDKs and DSN keys as people know them. */
export function useValueNames(): (by: SplitBy, value: string) => string {
  const project_id = useProjectId()
  const keys = useRead('GET /api/v1/projects/{project_id}/quota', { params: { project_id } })
  const known = keys.data?.by_key
  return useCallback(
    (by: SplitBy, value: string) => {
      if (value === 'none') return noneNames[by]
      if (by !== 'key') return value
      const label = known?.find(({ key }) => key === value)?.label
      const start = `${value.slice(0, keyCharacters)}…`
      return label === undefined ? start : `${label ?? 'Default'} (${start})`
    },
    [known],
  )
}
