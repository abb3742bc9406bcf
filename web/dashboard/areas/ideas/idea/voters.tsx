import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../design/button.tsx'
import { Avatar } from '../../../design/content/badge.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { hrefOf, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { type Item, usePages } from '../../../http/use-pages.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath } from '../../../url/use-project.ts'
import { type IdeaDetail, ideaRead, ideasList, nameOfUser } from '../common/idea.ts'
import { AddVoterDialog } from './add-voter-dialog.tsx'

export const votersList = 'GET /api/v1/admin/portal/{project_id}/ideas/{idea_id}/voters' as const
type Voter = Item<typeof votersList>

interface VotersProps {
  readonly projectId: string
  readonly idea: IdeaDetail
}

export function Voters({ projectId, idea }: VotersProps) {
  const [isAdding, setAdding] = useState(false)
  const params = { project_id: projectId, idea_id: idea.id }
  const pages = usePages(
    votersList,
    { params, query: { limit: 100 } },
    { topics: ['ideas'], keepPrevious: true },
  )
  const remove = (voter: Voter) => {
    const named = { ...params, enduser_id: voter.enduser_id }
    void runChange({
      send: () =>
        request('DELETE /api/v1/admin/portal/{project_id}/ideas/{idea_id}/voters/{enduser_id}', {
          params: named,
        }),
      done: `Removed the vote of ${nameOfUser(voter)}.`,
      // A vote that came with a merge belongs to the duplicate and cannot be given back here.
      ...(voter.via_idea_id === null
        ? {
            undo: () =>
              request('POST /api/v1/admin/portal/{project_id}/ideas/{idea_id}/voters', {
                params,
                body: { enduser_id: voter.enduser_id },
              }),
          }
        : {}),
      refetch: [votersList, ideaRead, ideasList],
    })
  }
  return (
    <>
      <div class="row">
        {canWrite.value && (
          <>
            <Button size="s" icon="plus" onClick={() => setAdding(true)}>
              Vote for a user
            </Button>
            {(['csv', 'json'] as const).map((format) => (
              <a
                key={format}
                class="button button-quiet button-s"
                download
                href={hrefOf(
                  'GET /api/v1/admin/portal/{project_id}/ideas/{idea_id}/voters/export',
                  { params, query: { format } },
                )}
              >
                Export {format.toUpperCase()}
              </a>
            ))}
          </>
        )}
      </div>
      {pages.problem !== undefined && pages.items.length === 0 && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      {pages.isLoading && <Skeleton />}
      {!pages.isLoading && pages.problem === undefined && pages.items.length === 0 && (
        <EmptyState icon="people" title="No votes yet">
          <p>Vote for a user who asked by email or in a call, so that they get email updates.</p>
        </EmptyState>
      )}
      <WindowedList
        label="Voters"
        items={pages.items}
        keyOf={({ enduser_id }) => enduser_id}
        rowHeight={48}
        onEnd={pages.loadMore}
        renderRow={(voter) => (
          <VoterRow projectId={projectId} voter={voter} onRemove={() => remove(voter)} />
        )}
      />
      {isAdding && (
        <AddVoterDialog projectId={projectId} idea={idea} onClose={() => setAdding(false)} />
      )}
    </>
  )
}

interface RowProps {
  readonly projectId: string
  readonly voter: Voter
  readonly onRemove: () => void
}

function VoterRow({ projectId, voter, onRemove }: RowProps) {
  const name = nameOfUser(voter)
  const search = encodeURIComponent(voter.enduser_id)
  return (
    <div class="voter-row">
      <Avatar name={name} />
      <div class="voter-name">
        <a href={projectPath(projectId, `portal?tab=users&search=${search}`)}>
          <bdi>{name}</bdi>
        </a>
        <span class="soft small truncate">
          {[
            voter.email === name ? voter.enduser_id : voter.email,
            voter.via_idea_id === null ? undefined : 'through a merged idea',
            voter.cast_by === null ? undefined : `added by ${voter.cast_by}`,
          ]
            .filter((part) => part !== undefined && part !== null)
            .join(' · ')}
        </span>
      </div>
      <span class="soft small">
        <Time at={voter.voted_at} />
      </span>
      {canWrite.value && (
        <IconButton size="s" icon="close" label={`Remove the vote of ${name}`} onClick={onRemove} />
      )}
    </div>
  )
}
