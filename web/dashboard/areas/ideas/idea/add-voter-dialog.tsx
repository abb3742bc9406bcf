import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useTypedText } from '../../../design/forms/use-typed-text.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { useRead } from '../../../http/use-read.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { type IdeaDetail, ideaRead, ideasList, nameOfUser } from '../common/idea.ts'

interface AddVoterProps {
  readonly projectId: string
  readonly idea: IdeaDetail
  readonly onClose: () => void
}

const votersOfIdea = 'GET /api/v1/admin/portal/{project_id}/ideas/{idea_id}/voters'

/** Votes for a user of the portal who was found, or for one who is named here first. */
export function AddVoterDialog({ projectId, idea, onClose }: AddVoterProps) {
  const [search, setSearch] = useState('')
  const [text, setText] = useTypedText(search, setSearch)
  const [isNew, setNew] = useState(false)
  const [email, setEmail] = useState('')
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState<string>()
  const found = useRead(
    'GET /api/v1/admin/portal/{project_id}/endusers',
    { params: { project_id: projectId }, query: { limit: 8, search: search.trim() } },
    { keepPrevious: true },
  )
  const vote = async (enduserId: string, address?: string) => {
    setBusy(enduserId)
    setProblem(undefined)
    try {
      const { result } = await request(
        'POST /api/v1/admin/portal/{project_id}/ideas/{idea_id}/voters',
        {
          params: { project_id: projectId, idea_id: idea.id },
          body: {
            enduser_id: enduserId,
            ...(address ? { enduser_email: address } : {}),
            ...(note.trim() === '' ? {} : { note: note.trim() }),
          },
        },
      )
      await invalidateReads(votersOfIdea, ideaRead, ideasList)
      const done = result === 'created' ? 'Added the vote.' : 'This user has voted already.'
      showToast({ kind: 'done', text: done })
      onClose()
    } catch (error) {
      setProblem(error as Error)
      setBusy(undefined)
    }
  }
  const rules = asProblem(problem)
  const isField = rules?.ruleOf('enduser_id') ?? rules?.ruleOf('enduser_email')
  const users = found.data?.items ?? []
  return (
    <Dialog
      title="Vote for a user"
      onClose={onClose}
      footer={
        isNew ? (
          <>
            <Button onClick={() => setNew(false)}>Back</Button>
            <Button
              kind="primary"
              busy={busy !== undefined}
              disabled={text.trim() === ''}
              onClick={() => void vote(text.trim(), email.trim())}
            >
              Add the vote
            </Button>
          </>
        ) : (
          <Button onClick={() => setNew(true)}>Name a new user</Button>
        )
      }
    >
      <div class="form">
        {problem !== undefined && isField === undefined && <ProblemBox problem={problem} />}
        <TextField
          label={isNew ? 'Id of the user' : 'Find the user'}
          hint={
            isNew
              ? 'The id that your product gives the user, as in the tokens you sign.'
              : 'By name, address or id.'
          }
          value={text}
          onText={setText}
          maxLength={255}
          error={rules?.ruleOf('enduser_id')}
        />
        {isNew && (
          <TextField
            label="Address"
            type="email"
            hint="Optional. The user gets email updates about this idea."
            value={email}
            onText={setEmail}
            error={rules?.ruleOf('enduser_email')}
          />
        )}
        <TextField
          label="Note"
          hint="Optional. Only the team reads it: a call, a ticket, a contract."
          value={note}
          onText={setNote}
          maxLength={500}
          error={rules?.ruleOf('note')}
        />
        {!isNew && (
          <ul class="voter-choices" aria-label="Users">
            {users.map((user) => (
              <li key={user.id}>
                <span class="voter-name">
                  <bdi>{nameOfUser(user)}</bdi>
                  <span class="soft small truncate">
                    {user.name === null ? user.enduser_id : (user.email ?? user.enduser_id)}
                  </span>
                </span>
                <Button
                  size="s"
                  busy={busy === user.enduser_id}
                  onClick={() => void vote(user.enduser_id)}
                >
                  Add the vote
                </Button>
              </li>
            ))}
            {found.data !== undefined && users.length === 0 && (
              <li class="soft small">No user matches. Name a new user instead.</li>
            )}
          </ul>
        )}
      </div>
    </Dialog>
  )
}
