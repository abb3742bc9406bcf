import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../../design/button.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { TextField } from '../../../../design/forms/field.tsx'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import { canWrite } from '../../../../session/session.ts'
import { type IssueDetail, issueRead } from '../issue-reads.ts'

const linksPath = '/api/v1/projects/{project_id}/issues/{issue_id}/links' as const

interface LinksProps {
  readonly projectId: string
  readonly issue: IssueDetail
}

/** Tickets and pages elsewhere that are about the issue. */
export function IssueLinks({ projectId, issue }: LinksProps) {
  const [isAdding, setAdding] = useState(false)
  if (issue.links.length === 0 && !canWrite.value) return null
  const remove = (id: string) =>
    void runChange({
      send: () =>
        request(`DELETE ${linksPath}/{link_id}`, {
          params: { project_id: projectId, issue_id: issue.id, link_id: id },
        }),
      done: `Removed the link of ${issue.short_id}.`,
      refetch: [issueRead],
    })
  return (
    <section aria-labelledby="issue-links">
      <h2 id="issue-links">Links</h2>
      {issue.links.length > 0 && (
        <ul class="issue-links">
          {issue.links.map(({ id, url, title }) => (
            <li key={id}>
              <a href={url} target="_blank" rel="noreferrer noopener" title={shortText(url, 300)}>
                {shortText(title ?? url.replace(/^https?:\/\//i, ''), 100)}
              </a>
              {canWrite.value && (
                <IconButton
                  size="s"
                  icon="close"
                  label={`Remove the link ${shortText(title ?? url, 60)}`}
                  onClick={() => remove(id)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {canWrite.value && (
        <div class="row">
          <Button size="s" kind="quiet" icon="link" onClick={() => setAdding(true)}>
            Link a ticket or a page
          </Button>
        </div>
      )}
      {isAdding && (
        <LinkDialog projectId={projectId} issue={issue} onClose={() => setAdding(false)} />
      )}
    </section>
  )
}

function LinkDialog({ projectId, issue, onClose }: LinksProps & { readonly onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [title, setTitle] = useState('')
  const submit = useSubmit(async () => {
    await request(`POST ${linksPath}`, {
      params: { project_id: projectId, issue_id: issue.id },
      body: { url, ...(title.trim() === '' ? {} : { title }) },
    })
    await invalidateReads(issueRead)
    onClose()
  })
  const problem = submit.unplaced(['url', 'title'])
  return (
    <Dialog title={`Link ${issue.short_id}`} size="s" onClose={onClose}>
      <form class="stack" onSubmit={submit.onSubmit}>
        {problem !== undefined && <ProblemBox problem={problem} />}
        <TextField
          label="URL"
          type="url"
          required
          value={url}
          onText={setUrl}
          placeholder="https://tickets.example.com/SHOP-77"
          error={submit.ruleOf('url')}
          autoFocus
        />
        <TextField
          label="Title"
          hint="Optional: the number of the ticket, for example."
          value={title}
          onText={setTitle}
          error={submit.ruleOf('title')}
        />
        <div class="row">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Add the link
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
