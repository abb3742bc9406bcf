import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { NewIssueLink } from '#schemas/rest/issues/issue-link.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { invalidFields } from '../../http/validation/invalid-field.ts'
import { addActivities, type IssueActor } from '../issue-history-store.ts'
import { missingIssue } from '../merged-issue.ts'
import { lockIssueStates } from '../states/issue-change-store.ts'
import { listLinks, removeLink, type StoredLink, writeLink } from './mark-store.ts'

export interface LinkedIssue {
  readonly projectId: ProjectId
  readonly issueId: string
}

export const linksPerIssueMax = 20

type LinkContext = Pick<ApiContext, 'pg' | 'clock'>

/** Returns the link that the issue has already, if it has one to the same URL. */
export async function linkIssue(
  ctx: LinkContext,
  actor: IssueActor,
  { link, ...issue }: LinkedIssue & { readonly link: NewIssueLink },
): Promise<StoredLink> {
  return withIssue(ctx, issue, async (client, at) => {
    const links = await listLinks(client, issue.issueId)
    const known = links.find(({ url }) => url === link.url)
    if (known !== undefined) return known
    if (links.length >= linksPerIssueMax) {
      const rule = `must not be added: an issue has at most ${linksPerIssueMax} links`
      throw invalidFields([{ field: 'url', rule }])
    }
    const added = { id: uuidv7(), url: link.url, title: link.title ?? null, created_at: at }
    await writeLink(client, issue.issueId, added)
    await addActivities(client, [activityOf('linked', issue, added)], { actor, at })
    return added
  })
}

export async function unlinkIssue(
  ctx: LinkContext,
  actor: IssueActor,
  { linkId, ...issue }: LinkedIssue & { readonly linkId: string },
): Promise<void> {
  await withIssue(ctx, issue, async (client, at) => {
    const removed = await removeLink(client, { issueId: issue.issueId, id: linkId })
    if (removed === undefined) throw new CodedError('not_found')
    await addActivities(client, [activityOf('unlinked', issue, removed)], { actor, at })
  })
}

function activityOf(kind: 'linked' | 'unlinked', { issueId }: LinkedIssue, link: StoredLink) {
  return { issueId, kind, data: { url: link.url, title: link.title } }
}

/** The lock orders two people, so that neither the limit nor a URL is exceeded. */
async function withIssue<Result>(
  ctx: LinkContext,
  { projectId, issueId }: LinkedIssue,
  work: (client: Database, at: Date) => Promise<Result>,
): Promise<Result> {
  const done = await ctx.pg.transaction(async (client) => {
    const [issue] = await lockIssueStates(client, { projectId, issueIds: [issueId] })
    if (issue === undefined) return undefined
    return { result: await work(client, new Date(ctx.clock.nowMs())) }
  })
  if (done === undefined) throw await missingIssue(ctx, { projectId, id: issueId })
  return done.result
}
