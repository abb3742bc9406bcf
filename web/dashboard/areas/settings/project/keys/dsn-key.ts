import type { Item } from '../../../../http/use-pages.ts'

export const dsnKeyList = 'GET /api/v1/projects/{project_id}/keys'
export type DsnKey = Item<typeof dsnKeyList>

/** The key of a new project has no label. */
export function nameOfKey({ label }: Pick<DsnKey, 'label'>): string {
  return label ?? 'the key without label'
}
