import type { SimilarIssue } from '#schemas/rest/issue-insights.ts'
import type { ApiContext } from '../../context.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import type { StoredIssue } from '../issue-store.ts'
import { findSimilar, nearTitle, type StoredSimilar } from './similar-issue-store.ts'

const exceptionTypePattern = /^([^\s:]{1,200})(?:: |$)/

/** Issues that may have the same cause: of the same exception and culprit, or with a near title. */
export async function listSimilarIssues(
  { pg }: Pick<ApiContext, 'pg'>,
  project: StoredProject,
  { id, title, culprit }: Pick<StoredIssue, 'id' | 'title' | 'culprit'>,
): Promise<SimilarIssue[]> {
  const exceptionType = exceptionTypePattern.exec(title)?.[1] ?? ''
  const similar = await findSimilar(pg, {
    projectId: project.dsnId,
    id,
    title,
    culprit,
    exceptionType,
  })
  return similar.map((one) => viewOf(one, project.shortName))
}

function viewOf(stored: StoredSimilar, shortName: string): SimilarIssue {
  const { short_no, first_seen, last_seen, similarity, same_type, same_culprit, ...issue } = stored
  return {
    ...issue,
    short_id: `${shortName}-${short_no}`,
    first_seen: first_seen.toISOString(),
    last_seen: last_seen.toISOString(),
    similarity: Math.round(similarity * 100) / 100,
    reasons: [
      ...(same_type ? (['exception_type'] as const) : []),
      ...(same_culprit ? (['culprit'] as const) : []),
      ...(similarity >= nearTitle ? (['title'] as const) : []),
    ],
  }
}
