import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Time } from '../../../design/content/time.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath } from '../../../url/use-project.ts'
import { type IdeaDetail, ideaRead, ideasList, nameOfAuthor, statusTones } from '../common/idea.ts'
import { usePortalKey } from '../common/portal-key.ts'
import { TagChip } from '../common/tag-chip.tsx'
import { TagPicker } from '../common/tag-picker.tsx'
import { showIdea } from '../list/place-idea.ts'

interface SideProps {
  readonly projectId: string
  readonly idea: IdeaDetail
  readonly onStatus: () => void
}

export function IdeaSide({ projectId, idea, onStatus }: SideProps) {
  const key = usePortalKey(projectId)
  const { author } = idea
  return (
    <aside class="idea-side" aria-label="Facts">
      <Facts
        facts={[
          {
            name: 'Status',
            value: canWrite.value ? (
              <button type="button" class="idea-status-button" onClick={onStatus}>
                <Badge tone={statusTones[idea.status]}>{idea.status}</Badge>
              </button>
            ) : (
              <Badge tone={statusTones[idea.status]}>{idea.status}</Badge>
            ),
          },
          {
            name: 'Votes',
            value: <a href={`${location.pathname}?tab=voters`}>{formatNumber(idea.vote_count)}</a>,
          },
          {
            name: 'Author',
            value:
              author === null ? (
                'Team'
              ) : (
                <a
                  href={projectPath(
                    projectId,
                    `portal?tab=users&search=${encodeURIComponent(author.enduser_id)}`,
                  )}
                >
                  <bdi>{nameOfAuthor(author)}</bdi>
                </a>
              ),
          },
          ...(author?.email ? [{ name: 'Address', value: author.email }] : []),
          { name: 'Created', value: <Time at={idea.created_at} /> },
          { name: 'Changed', value: <Time at={idea.updated_at} /> },
        ]}
      />
      <Tags projectId={projectId} idea={idea} />
      {idea.duplicates.length > 0 && (
        <section>
          <h2>Merged into this idea</h2>
          <ul class="idea-links">
            {idea.duplicates.map(({ id, title }) => (
              <li key={id}>
                <a href={projectPath(projectId, `ideas/${id}`)}>
                  <bdi>{title}</bdi>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {key !== undefined && idea.moderation === 'published' && (
        <p>
          <a href={`/portal/${key}/ideas/${idea.id}`} target="_blank" rel="noopener">
            Open on the portal
          </a>
        </p>
      )}
    </aside>
  )
}

function Tags({ projectId, idea }: Pick<SideProps, 'projectId' | 'idea'>) {
  const [isEditing, setEditing] = useState(false)
  const params = { project_id: projectId }
  const tags = useRead(
    'GET /api/v1/admin/portal/{project_id}/tags',
    { params },
    { enabled: isEditing },
  ).data?.items
  const save = (slugs: readonly string[]) => {
    const chosen = (tags ?? []).filter(({ slug }) => slugs.includes(slug))
    const send = (wanted: readonly string[]) =>
      request('PATCH /api/v1/admin/portal/{project_id}/ideas/{idea_id}', {
        params: { ...params, idea_id: idea.id },
        body: { tags: wanted },
      })
    void runChange({
      send: () => send(slugs),
      apply: () => showIdea({ ...idea, tags: chosen }),
      refetch: [ideaRead, ideasList],
    })
  }
  return (
    <section>
      <header class="idea-side-head">
        <h2>Tags</h2>
        {canWrite.value && (
          <Button
            size="s"
            kind="quiet"
            aria-expanded={isEditing}
            onClick={() => setEditing(!isEditing)}
          >
            {isEditing ? 'Done' : 'Edit'}
          </Button>
        )}
      </header>
      {isEditing ? (
        tags?.length === 0 ? (
          <p class="small">
            No tags yet. <a href={projectPath(projectId, 'ideas/tags')}>Create tags</a>
          </p>
        ) : (
          <TagPicker tags={tags ?? []} chosen={idea.tags.map(({ slug }) => slug)} onChosen={save} />
        )
      ) : idea.tags.length === 0 ? (
        <p class="soft small">None</p>
      ) : (
        <div class="row">
          {idea.tags.map((tag) => (
            <TagChip key={tag.slug} tag={tag} />
          ))}
        </div>
      )}
    </section>
  )
}
