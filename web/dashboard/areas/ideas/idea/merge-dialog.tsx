import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { countOf } from '../../../design/content/format.ts'
import { ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useTypedText } from '../../../design/forms/use-typed-text.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { useRead } from '../../../http/use-read.ts'
import { type Idea, type IdeaDetail, ideasList, statusTones } from '../common/idea.ts'
import { mergeIdea } from '../common/merge-idea.ts'
import { MergePreview } from '../common/merge-preview.tsx'
import { useSimilarIdeas } from '../common/similar-ideas.tsx'

interface MergeDialogProps {
  readonly projectId: string
  readonly idea: IdeaDetail
  readonly onClose: () => void
}

type Target = Pick<Idea, 'id' | 'title' | 'status' | 'vote_count'>

export function MergeDialog({ projectId, idea, onClose }: MergeDialogProps) {
  const [target, setTarget] = useState<Target>()
  const [busy, setBusy] = useState(false)
  const merge = async () => {
    if (target === undefined) return
    setBusy(true)
    const done = await mergeIdea({ projectId, ideaId: idea.id, into: target })
    if (done === undefined) setBusy(false)
    else onClose()
  }
  return (
    <Dialog
      title="Merge into another idea"
      onClose={onClose}
      footer={
        <>
          <Button onClick={target === undefined ? onClose : () => setTarget(undefined)}>
            {target === undefined ? 'Cancel' : 'Back'}
          </Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={target === undefined}
            onClick={() => void merge()}
          >
            Merge
          </Button>
        </>
      }
    >
      {target === undefined ? (
        <TargetSearch projectId={projectId} idea={idea} onTarget={setTarget} />
      ) : (
        <MergePreview projectId={projectId} idea={idea} into={target} />
      )}
    </Dialog>
  )
}

interface SearchProps {
  readonly projectId: string
  readonly idea: IdeaDetail
  readonly onTarget: (target: Target) => void
}

/** Similar ideas first; typing searches all of them. */
function TargetSearch({ projectId, idea, onTarget }: SearchProps) {
  const [search, setSearch] = useState('')
  const [text, setText] = useTypedText(search, setSearch)
  const similar = useSimilarIdeas(projectId, idea.title, idea.id)
  const isSearch = search.trim() !== ''
  const found = useRead(
    ideasList,
    {
      params: { project_id: projectId },
      query: { search: search.trim(), moderation: 'published', sort: 'votes', limit: 20 },
    },
    { enabled: isSearch, keepPrevious: true },
  )
  const isOther = ({ id, status }: Target) => id !== idea.id && status !== 'Duplicate'
  const targets = isSearch ? found.data?.items.filter(isOther) : similar?.filter(isOther)
  return (
    <div class="stack">
      <TextField
        label="The idea that stays"
        type="search"
        placeholder="Search ideas"
        maxLength={200}
        value={text}
        onText={setText}
        autofocus
      />
      {found.problem !== undefined && isSearch && (
        <ProblemBox problem={found.problem} onRetry={found.refetch} />
      )}
      {!isSearch && targets !== undefined && targets.length > 0 && (
        <p class="soft small">Similar ideas</p>
      )}
      {targets?.length === 0 && (
        <p class="soft small">{isSearch ? 'No idea matches.' : 'Type to search all ideas.'}</p>
      )}
      <ul class="merge-targets">
        {targets?.map((target) => (
          <li key={target.id}>
            <button type="button" onClick={() => onTarget(target)}>
              <bdi>{target.title}</bdi>
              <span class="similar-facts">
                <Badge tone={statusTones[target.status]}>{target.status}</Badge>
                {countOf(target.vote_count, 'vote')}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
