import type { ComponentChildren } from 'preact'
import { Badge } from '../../../design/content/badge.tsx'
import { countOf } from '../../../design/content/format.ts'
import type { Reply } from '../../../http/request.ts'
import { useRead } from '../../../http/use-read.ts'
import { useDelayed } from '../../../shell/use-delayed.ts'
import { projectPath } from '../../../url/use-project.ts'
import { statusTones } from './idea.ts'
import { usePortalKey } from './portal-key.ts'
import './shared.css'

export type SimilarIdea = Reply<'GET /api/v1/p/{project_key}/ideas/similar'>['items'][number]

const titleCharactersMin = 3
const pauseMs = 300

interface SimilarProps {
  readonly projectId: string
  readonly title: string
  readonly label: string
  /** The idea itself is not similar to itself. */
  readonly exceptId?: string
  /** Beside each idea, such as a button to merge. */
  readonly action?: (idea: SimilarIdea, index: number) => ComponentChildren
  /** Shown when there are none. */
  readonly none?: string
}

/** Published ideas that resemble a title. */
export function SimilarIdeas({ projectId, title, label, exceptId, action, none }: SimilarProps) {
  const items = useSimilarIdeas(projectId, title, exceptId)
  if (items === undefined) return null
  if (items.length === 0) return none === undefined ? null : <p class="soft small">{none}</p>
  return (
    <section class="similar" aria-label={label}>
      <h3>{label}</h3>
      <ul>
        {items.map((idea, index) => (
          <li key={idea.id}>
            <a href={projectPath(projectId, `ideas/${idea.id}`)} target="_blank" rel="noopener">
              <bdi>{idea.title}</bdi>
            </a>
            <span class="similar-facts">
              <Badge tone={statusTones[idea.status]}>{idea.status}</Badge>
              {countOf(idea.vote_count, 'vote')}
            </span>
            {action?.(idea, index)}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Undefined while nothing is known. */
export function useSimilarIdeas(
  projectId: string,
  title: string,
  exceptId?: string,
): readonly SimilarIdea[] | undefined {
  const key = usePortalKey(projectId)
  const wanted = useDelayed(title.trim().slice(0, 200), pauseMs)
  const { data } = useRead(
    'GET /api/v1/p/{project_key}/ideas/similar',
    { params: { project_key: key ?? '' }, query: { title: wanted } },
    { enabled: key !== undefined && wanted.length >= titleCharactersMin },
  )
  if (wanted.length < titleCharactersMin) return []
  return data?.items.filter(({ id }) => id !== exceptId)
}
