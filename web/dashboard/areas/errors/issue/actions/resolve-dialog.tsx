import { useId, useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { TextField } from '../../../../design/forms/field.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { useRead } from '../../../../http/use-read.ts'
import type { IssueDetail } from '../issue-reads.ts'
import { changeIssue } from './change-issue.ts'

interface ResolveProps {
  readonly projectId: string
  readonly issue: IssueDetail
  readonly by: 'release' | 'commit'
  readonly onClose: () => void
}

const commitPattern = /^[0-9a-f]{7,64}$/i

/** The release or the commit that has the repair. Events of older releases do not reopen it. */
export function ResolveDialog({ projectId, issue, by, onClose }: ResolveProps) {
  const [text, setText] = useState('')
  const [isTried, setTried] = useState(false)
  const listId = useId()
  const releases = useRead(
    'GET /api/v1/projects/{project_id}/releases',
    { params: { project_id: projectId }, query: { limit: 25 } },
    { enabled: by === 'release' },
  )
  const value = text.trim()
  const rule = ruleOf(by, value)
  const resolve = () => {
    setTried(true)
    if (rule !== undefined) return
    onClose()
    const resolvedIn = by === 'commit' ? `commit:${value}` : value
    const done = by === 'commit' ? `by commit ${value.slice(0, 12)}` : `in ${value}`
    void changeIssue(
      { projectId, issue },
      { resolved_in: resolvedIn },
      `Resolved ${done}: ${issue.short_id}.`,
    )
  }
  const error = isTried ? rule : undefined
  return (
    <Dialog
      title={by === 'release' ? 'Resolve in a release' : 'Resolve by a commit'}
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={resolve}>
            Resolve
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          resolve()
        }}
      >
        {by === 'release' ? (
          <>
            <TextField
              label="Release"
              hint="It has the repair. Events of this and later releases reopen the issue."
              error={error}
              value={text}
              onText={setText}
              {...({ list: listId } as object)}
              autoFocus
              autocomplete="off"
              placeholder="shop@1.4.2"
            />
            <datalist id={listId}>
              {(releases.data?.items ?? []).map(({ version }) => (
                <option key={version} value={version} />
              ))}
            </datalist>
          </>
        ) : (
          <TextField
            label="Commit"
            hint="7 to 64 hex digits. Events of the release with this commit and of later ones reopen the issue."
            error={error}
            value={text}
            onText={setText}
            autoFocus
            autocomplete="off"
          />
        )}
      </form>
    </Dialog>
  )
}

function ruleOf(by: 'release' | 'commit', value: string): string | undefined {
  if (by === 'commit') {
    return commitPattern.test(value) ? undefined : 'must be 7 to 64 hex digits'
  }
  if (value === '') return 'must be the name of a release'
  return value.length > 250 ? 'must have at most 250 characters' : undefined
}
