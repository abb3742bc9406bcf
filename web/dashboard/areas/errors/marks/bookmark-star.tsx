import { IconButton } from '../../../design/button.tsx'
import { editItems, editReply } from '../../../http/edit-cache.ts'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { issueRead, issuesRead } from '../issue/issue-reads.ts'
import './bookmark-star.css'

interface StarProps {
  readonly projectId: string
  readonly issue: {
    readonly id: string
    readonly short_id: string
    readonly bookmarked?: boolean | undefined
  }
}

/** The bookmark of the person who is logged in; `bookmarks:me` finds the issues again. */
export function BookmarkStar({ projectId, issue }: StarProps) {
  const isBookmarked = issue.bookmarked === true
  return (
    <span class="bookmark-star">
      <IconButton
        size="s"
        icon="star"
        label={`${isBookmarked ? 'Remove the bookmark of' : 'Bookmark'} ${issue.short_id}`}
        aria-pressed={isBookmarked}
        onClick={() => void setBookmark(projectId, issue.id, !isBookmarked)}
      />
    </span>
  )
}

async function setBookmark(projectId: string, issueId: string, bookmarked: boolean): Promise<void> {
  const params = { project_id: projectId, issue_id: issueId }
  await runChange({
    send: () =>
      bookmarked
        ? request('PUT /api/v1/projects/{project_id}/issues/{issue_id}/bookmark', { params })
        : request('DELETE /api/v1/projects/{project_id}/issues/{issue_id}/bookmark', { params }),
    apply: () => {
      const restoreIssue = editReply(
        issueRead,
        ({ issue_id }) => issue_id === issueId,
        (reply) => ({ ...reply, bookmarked }),
      )
      const restoreList = editItems(issuesRead, (item) =>
        item.id === issueId ? { ...item, bookmarked } : item,
      )
      return () => {
        restoreIssue()
        restoreList()
      }
    },
  })
}
