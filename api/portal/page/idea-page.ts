/** The page of one idea: text, votes, response and comments. */
import type { Idea } from '#schemas/rest/portal/idea.ts'
import { isolated } from '#schemas/visible-text.ts'
import { inSlices } from '../../files/slices.ts'
import { framePage, type PortalFrame } from './frame.ts'
import { around, type Fragment, type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { plainExcerpt, renderMarkdown } from './markdown.ts'
import { pendingBadge, statusBadge, tagLinks, timeAgo, voteForm } from './pieces.ts'
import type { CommentPageReply, ShownComment, TimelineReply } from './portal-replies.ts'
import { emailField, trapField } from './suggest-page.ts'

export const commentsPerPage = 50
const commentCharactersMax = 5_000
/** Replies below this level are not indented further. */
const indentsMax = 4

export interface IdeaData {
  readonly idea: Idea
  readonly comments: CommentPageReply
  readonly timeline: TimelineReply['items']
  readonly offset: number
  readonly problem?: string
  readonly draft?: string
}

/** Rendered comments by id. */
type Prose = ReadonlyMap<string, Html>

/** Renders comments before the page, in slices: a page may have thousands. */
async function renderComments({ comments }: IdeaData): Promise<Prose> {
  const shown = [...comments.items]
  for (const { replies } of shown) for (const reply of replies) shown.push(reply)
  const prose = new Map<string, Html>()
  for await (const { id, deleted, body } of inSlices(shown)) {
    if (!deleted) prose.set(id, renderMarkdown(body))
  }
  return prose
}

export async function ideaPage(
  frame: PortalFrame,
  data: IdeaData,
  canonical: string,
): Promise<string> {
  const { idea } = data
  const comments = await commentArea(frame, data)
  const { words } = frame.language
  const self = `${frame.base}/ideas/${idea.id}`
  const main = html`<p class="crumb"><a href="${frame.base}">${icon('back')}${words.back}</a></p>
<article class="full">
${voteForm(frame, idea, self)}
<div class="full-text">
<h1 dir="auto">${idea.title}</h1>
<p class="facts">${idea.moderation === 'pending' ? pendingBadge(frame.language) : statusBadge(idea.status, frame.language)}${tagLinks(frame, idea.tags)}<span class="fact">${around(words.by, idea.author_name ?? words.anonymous)}</span><span class="fact">${timeAgo(idea.created_at, frame)}</span></p>
${idea.moderation === 'pending' && html`<p class="note">${icon('clock')}${words.pendingNote}</p>`}
${duplicateNote(frame, idea)}
<div class="prose" dir="auto">${renderMarkdown(idea.description)}</div>
${response(frame, idea)}
${history(frame, data)}
</div>
</article>
<section class="comments" id="comments" aria-labelledby="comments-title">${comments}</section>`
  return framePage(frame, {
    title: isolated(idea.title),
    description: isolated(plainExcerpt(idea.description, 200)),
    canonical,
    main,
  })
}

/** The part that the script fetches after it has sent a comment. */
export async function commentArea(frame: PortalFrame, data: IdeaData): Promise<Html> {
  const prose = await renderComments(data)
  const { idea, comments } = data
  const { words } = frame.language
  const next = data.offset + commentsPerPage
  // The total includes comments of merged ideas, comment_count does not.
  const shownCount = Math.max(idea.comment_count, comments.total)
  return html`<h2 id="comments-title">${shownCount > 0 ? words.comments(shownCount) : words.noComments}</h2>
<ol class="thread">${comments.items.map((comment) => commentItem({ frame, idea, prose }, comment, 0))}</ol>
${comments.has_more && html`<a class="button more" href="${frame.base}/ideas/${idea.id}?offset=${next}#comments" rel="next">${words.more}</a>`}
${commentForm(frame, data)}`
}

function duplicateNote(frame: PortalFrame, idea: Idea): Fragment {
  if (idea.duplicate_of === null) return false
  const { words } = frame.language
  return html`<p class="note">${icon('merge')}<span>${words.duplicateNote} <a href="${frame.base}/ideas/${idea.duplicate_of}">${words.duplicateLink}</a></span></p>`
}

function response(frame: PortalFrame, { response, status }: Idea): Fragment {
  if (response === null) return false
  const { words } = frame.language
  return html`<aside class="response status-edge-${status.toLowerCase()}" aria-label="${words.response}">
<p class="response-head">${icon('check')}<strong>${words.response}</strong><span class="fact" dir="auto">${response.author_name ?? words.team}</span><span class="fact">${timeAgo(response.created_at, frame)}</span></p>
<div class="prose" dir="auto">${renderMarkdown(response.body)}</div>
</aside>`
}

/**
 * The history, collapsed. It is omitted if nothing happened after the suggestion, except for a
 * pending idea. The response is shown above it.
 */
function history(frame: PortalFrame, { idea, timeline }: IdeaData): Fragment {
  const { words } = frame.language
  const isPending = idea.moderation === 'pending'
  const shown = timeline.filter(({ kind }) => kind !== 'response')
  if (!isPending && !shown.some(({ kind }) => kind !== 'created')) return false
  const said = ({ kind, to_status }: (typeof shown)[number]): string => {
    if (kind === 'created') return words.suggested
    if (kind === 'merged') return words.merged
    if (kind === 'unmerged') return words.unmerged
    return words.moved(to_status === null ? '' : words.status[to_status])
  }
  return html`<details class="history"${isPending && html` open`}><summary>${icon('clock')}${words.history}</summary><ol>${shown.map(
    (event) =>
      html`<li><span>${said(event)}</span><span class="fact">${timeAgo(event.at, frame)}</span></li>`,
  )}${isPending && html`<li><span>${words.pendingEvent}</span></li>`}</ol></details>`
}

interface CommentPage {
  readonly frame: PortalFrame
  readonly idea: Idea
  readonly prose: Prose
}

function commentItem(page: CommentPage, comment: ShownComment, depth: number): Html {
  const { frame, idea, prose } = page
  const { words } = frame.language
  const name = comment.author_name ?? (comment.is_team ? words.team : words.anonymous)
  const isNameless = comment.author_name === null && !comment.is_team
  const body = comment.deleted
    ? html`<p class="deleted">${words.deleted}</p>`
    : html`<p class="comment-head"><span class="face${comment.is_team && ' face-team'}" aria-hidden="true">${isNameless ? icon('person') : initialOf(name)}</span><strong dir="auto">${name}</strong>${
        comment.is_team && html`<span class="team">${words.team}</span>`
      }${comment.moderation === 'pending' && pendingBadge(frame.language, words.pendingCommentNote)}<a class="fact" href="#comment-${comment.id}">${timeAgo(comment.created_at, frame)}</a>${writtenOn(frame, comment)}</p>
${comment.moderation === 'pending' && html`<p class="pending-line">${words.pendingCommentNote}</p>`}<div class="prose" dir="auto">${prose.get(comment.id)}</div>${replyForm(frame, idea, comment)}`
  const replies =
    comment.replies.length > 0 &&
    html`<ol class="${depth < indentsMax ? 'thread' : 'thread flat'}">${comment.replies.map((reply) => commentItem(page, reply, depth + 1))}</ol>`
  return html`<li class="comment" id="comment-${comment.id}">${body}${replies}</li>`
}

function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '·').toUpperCase()
}

function mayComment({ config, needsToken }: PortalFrame): boolean {
  return config?.allow_comments !== false && !needsToken
}

function writtenOn(frame: PortalFrame, { from_idea }: ShownComment): Fragment {
  if (from_idea === undefined) return false
  const { writtenOn } = frame.language.words
  return html`<a class="fact" href="${frame.base}/ideas/${from_idea.id}">${around(writtenOn, from_idea.title)}</a>`
}

function replyForm(frame: PortalFrame, idea: Idea, comment: ShownComment): Fragment {
  if (!mayComment(frame) || comment.moderation === 'pending') return false
  const { words } = frame.language
  return html`<details class="reply"><summary>${words.reply}</summary>
<form class="comment-form" method="post" action="${frame.base}/ideas/${idea.id}/comments">
<input type="hidden" name="parent_id" value="${comment.id}">
<textarea name="body" required rows="3" maxlength="${commentCharactersMax}" aria-label="${words.writeReply}" placeholder="${words.writeReply}" dir="auto"></textarea>
${trapField(frame)}
<p class="form-row"><button class="button primary" type="submit">${words.reply}</button></p>
<p class="form-error" role="alert"></p>
</form></details>`
}

function commentForm(frame: PortalFrame, { idea, problem, draft }: IdeaData): Fragment {
  const { words } = frame.language
  if (frame.config?.allow_comments === false) return false
  if (frame.needsToken) return html`<p class="note">${words.signIn}</p>`
  return html`<form class="comment-form card" id="comment-form" method="post" action="${frame.base}/ideas/${idea.id}/comments">
<label class="label" for="comment-body">${words.writeComment}</label>
<textarea id="comment-body" name="body" required rows="4" maxlength="${commentCharactersMax}" dir="auto">${draft}</textarea>
${trapField(frame)}
<div class="form-row">${emailField(frame, 'comment-email')}<button class="button primary" type="submit">${words.send}</button></div>
<p class="form-error" role="alert">${problem}</p>
</form>`
}
