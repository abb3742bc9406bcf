/** Forms of the pages without a script: they call the public API and redirect to a page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, requireUuid } from '../../http/route.ts'
import { isFormStamp } from './form-stamp.ts'
import { ideaPage } from './idea-page.ts'
import { PortalApiError } from './page-api.ts'
import { readIdea, readSimilar } from './page-data.ts'
import type { OpenPage, PageScope } from './page-scope.ts'
import { suggestPage } from './suggest-page.ts'
import { knownVisitor, visitorOf } from './visitor.ts'
import { refusalSentence } from './words/refusals.ts'

const hidden = { schema: { hide: true } } as const
const field = (charactersMax: number) => z.string().max(charactersMax).catch('')

const VoteForm = z.object({ want: z.enum(['vote', 'unvote']).catch('vote'), back: field(2_000) })
const CommentForm = z.object({
  body: field(20_000),
  parent_id: field(100),
  enduser_email: field(1_000),
  website: field(1_000),
  stamp: field(100),
})
const SuggestForm = z.object({
  title: field(1_000),
  description: field(40_000),
  enduser_email: field(1_000),
  website: field(1_000),
  stamp: field(100),
})

export function registerForms(app: ApiInstance, ctx: ApiContext, scope: PageScope): void {
  app.post('/:project_key/ideas/:idea_id/vote', hidden, async (request, reply) => {
    const page = await openForm(request, reply)
    if (page === undefined) return reply
    const { want, back } = VoteForm.parse(request.body ?? {})
    const id = ideaIdIn(request.params)
    try {
      if (want === 'vote') await page.api.post(`/ideas/${id}/vote`, {})
      else await page.api.delete(`/ideas/${id}/vote`)
    } catch (error) {
      return scope.sendProblem(reply, page, error)
    }
    return reply.redirect(`${within(page, back)}#idea-${id}`, 303)
  })

  app.post('/:project_key/ideas/:idea_id/comments', hidden, async (request, reply) => {
    const page = await openForm(request, reply)
    if (page === undefined) return reply
    const form = CommentForm.parse(request.body ?? {})
    const id = ideaIdIn(request.params)
    const self = `${page.frame.base}/ideas/${id}`
    try {
      requireTyped(page, form)
      const { comment_id } = await page.api.post<{ comment_id: string }>(`/ideas/${id}/comments`, {
        body: form.body,
        ...(form.parent_id === '' ? {} : { parent_id: form.parent_id }),
        ...(form.enduser_email === '' ? {} : { enduser_email: form.enduser_email }),
      })
      return reply.redirect(`${self}#comment-${comment_id}`, 303)
    } catch (error) {
      const problem = sentenceOf(page, error)
      if (problem === undefined) return scope.sendProblem(reply, page, error)
      const data = { ...(await readIdea(page, id, 0)), problem, draft: form.body }
      refuse(reply, error)
      const markup = await ideaPage(page.frame, data, page.canonical(`/ideas/${id}`))
      return scope.send(reply, page, markup)
    }
  })

  app.post('/:project_key/suggest', hidden, async (request, reply) => {
    const page = await openForm(request, reply)
    if (page === undefined) return reply
    const form = SuggestForm.parse(request.body ?? {})
    const { title, description, enduser_email: email } = form
    try {
      requireTyped(page, form)
      const { idea_id } = await page.api.post<{ idea_id: string }>('/ideas/suggest', {
        title,
        description,
        ...(email === '' ? {} : { enduser_email: email }),
      })
      // The author votes for the own idea. A refused vote (rate limit) does not undo the idea.
      await page.api.post(`/ideas/${idea_id}/vote`, {}).catch(() => undefined)
      return reply.redirect(`${page.frame.base}/ideas/${idea_id}`, 303)
    } catch (error) {
      const problem = sentenceOf(page, error)
      if (problem === undefined) return scope.sendProblem(reply, page, error)
      const similar = await readSimilar(page, title)
      const data = { title, description, email, similar, problem }
      refuse(reply, error)
      return scope.send(reply, page, suggestPage(page.frame, data, page.canonical('/suggest')))
    }
  })

  /**
   * Opens the portal for a write and gives the visitor an id. Undefined: another site sent the
   * form, and the reply with the refusal has been sent.
   */
  async function openForm(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<OpenPage | undefined> {
    const page = await scope.open(request, visitorOf(request))
    if (scope.isForeignForm(request)) {
      scope.sendForeignForm(reply, page)
      return undefined
    }
    const { base } = page.frame
    const { enduserAuth } = page.portal.settings
    return scope.open(request, knownVisitor(request, reply, { base, enduserAuth }))
  }

  function requireTyped(page: OpenPage, { website, stamp }: { website: string; stamp: string }) {
    const { projectKey } = page.portal
    const typed = isFormStamp(ctx.box, { stamp, projectKey, nowMs: ctx.clock.nowMs() })
    if (!typed || website !== '') throw new TooFast()
  }
}

function ideaIdIn(params: unknown): string {
  return requireUuid((params as { idea_id: string }).idea_id)
}

class TooFast extends Error {}

/**
 * The sentence for an error that the visitor can correct; the form is shown again with the entered
 * text. Undefined: the error has a page of its own.
 */
function sentenceOf({ frame }: OpenPage, error: unknown): string | undefined {
  if (error instanceof TooFast) return frame.language.words.tooFast
  if (!(error instanceof PortalApiError)) throw error
  const { status } = error.reply
  return status === 400 || status === 429
    ? refusalSentence(frame.language.words, error.reply)
    : undefined
}

function refuse(reply: FastifyReply, error: unknown): void {
  const refused = error instanceof PortalApiError ? error.reply : undefined
  reply.code(refused?.status ?? 400)
  const { retryAfterSeconds } = refused ?? {}
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
}

/** The path of a page of this portal, or its first page. */
function within({ frame }: OpenPage, back: string): string {
  const isOurs = back === frame.base || /^[/?]/.test(back.slice(frame.base.length))
  return back.startsWith(frame.base) && isOurs && !/[\\\s#]/.test(back) ? back : frame.base
}
