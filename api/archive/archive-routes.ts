/**
 * `/archive/{newsletter}/`: the public archive with its list of campaigns, their pages and feeds.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { headerText } from '#schemas/mail/escape-value.ts'
import { parseTemplate } from '../compose/template.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { atomFeed, jsonFeed } from './archive-feeds.ts'
import { archivePolicy, campaignPage, listPage } from './archive-pages.ts'
import {
  type ArchiveNewsletter,
  findArchive,
  findCampaign,
  latestCampaigns,
  listArchive,
} from './archive-store.ts'
import { ArticleCache } from './article-cache.ts'

const campaignsPerPage = 50
const issuesInFeed = 20
const pagesMax = 1_000
/** Form of the slugs of newsletters and campaigns. Other paths are answered with 404. */
const slugPattern = /^[a-z0-9][a-z0-9-]{0,99}$/

const NewsletterPath = z.object({ newsletter: z.string() })
const CampaignPath = NewsletterPath.extend({ slug: z.string() })
/** An invalid number selects the first page. */
const PageNumber = z.object({ page: z.coerce.number().int().min(1).max(pagesMax).catch(1) })

export async function registerArchive(app: ApiInstance, ctx: ApiContext): Promise<void> {
  const articles = new ArticleCache(ctx.composer)

  app.get(
    '/archive/:newsletter',
    { schema: { hide: true, params: NewsletterPath } },
    async (request, reply) => {
      const { archivePath } = await requireArchive(request.params.newsletter)
      return reply.redirect(`/archive/${archivePath}/`, 301)
    },
  )

  app.get(
    '/archive/:newsletter/',
    { schema: { hide: true, params: NewsletterPath, querystring: PageNumber } },
    async (request, reply) => {
      const newsletter = await requireArchive(request.params.newsletter)
      const no = request.query.page
      const page = { limit: campaignsPerPage + 1, offset: (no - 1) * campaignsPerPage }
      const rows = await listArchive(ctx.pg, { newsletterId: newsletter.id, ...page })
      const campaigns = rows.slice(0, campaignsPerPage).map((campaign) => ({
        ...campaign,
        subject: lineWithoutContact(campaign.subject),
        preview: lineWithoutContact(campaign.previewText ?? ''),
      }))
      const html = listPage({
        newsletter,
        campaigns,
        url: urlOf(newsletter),
        newer: no === 1 ? undefined : `?page=${no - 1}`,
        older: rows.length <= campaignsPerPage ? undefined : `?page=${no + 1}`,
      })
      return sendPage(request, reply, newsletter, html)
    },
  )

  app.get(
    '/archive/:newsletter/feed.xml',
    { schema: { hide: true, params: NewsletterPath } },
    async (request, reply) => {
      const newsletter = await requireArchive(request.params.newsletter)
      const body = atomFeed(await feedOf(newsletter))
      return sendCached(request, reply, { type: 'application/atom+xml; charset=utf-8', body })
    },
  )

  app.get(
    '/archive/:newsletter/feed.json',
    { schema: { hide: true, params: NewsletterPath } },
    async (request, reply) => {
      const newsletter = await requireArchive(request.params.newsletter)
      const body = jsonFeed(await feedOf(newsletter))
      return sendCached(request, reply, { type: 'application/feed+json; charset=utf-8', body })
    },
  )

  app.get(
    '/archive/:newsletter/:slug',
    { schema: { hide: true, params: CampaignPath } },
    async (request, reply) => {
      const newsletter = await requireArchive(request.params.newsletter)
      const archiveSlug = requireSlug(request.params.slug)
      const campaign = await findCampaign(ctx.pg, { newsletterId: newsletter.id, archiveSlug })
      if (campaign === undefined) throw new CodedError('not_found')
      const archiveUrl = urlOf(newsletter)
      const url = `${archiveUrl}/${archiveSlug}`
      const article = await articles.of(newsletter.id, campaign)
      const html = campaignPage({ newsletter, campaign, article, url, archiveUrl })
      return sendPage(request, reply, newsletter, html)
    },
  )

  async function requireArchive(path: string): Promise<ArchiveNewsletter> {
    const newsletter = await findArchive(ctx.pg, requireSlug(path))
    if (newsletter === undefined) throw new CodedError('not_found')
    return newsletter
  }

  function urlOf({ archivePath }: ArchiveNewsletter): string {
    return `${ctx.apiUrl}/archive/${archivePath}`
  }

  async function feedOf(newsletter: ArchiveNewsletter) {
    const wanted = { newsletterId: newsletter.id, limit: issuesInFeed }
    const campaigns = await latestCampaigns(ctx.pg, wanted)
    return {
      newsletter,
      campaigns: await Promise.all(
        campaigns.map(async (campaign) => ({
          ...campaign,
          article: await articles.of(newsletter.id, campaign),
        })),
      ),
      archiveUrl: urlOf(newsletter),
    }
  }
}

/** Fills a subject or preview text without the values of any contact. */
function lineWithoutContact(line: string): string {
  const parts = parseTemplate(line).map((part) => (typeof part === 'string' ? part : part.fallback))
  return headerText(parts.join('')).trim()
}

function requireSlug(text: string): string {
  if (!slugPattern.test(text)) throw new CodedError('not_found')
  return text
}

function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  newsletter: ArchiveNewsletter,
  body: string,
): FastifyReply {
  reply.header('content-security-policy', archivePolicy)
  if (newsletter.archiveNoindex) reply.header('x-robots-tag', 'noindex')
  return sendCached(request, reply, { type: 'text/html; charset=utf-8', body })
}

function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  content: { type: string; body: string },
): FastifyReply {
  const etag = `"${createHash('sha256').update(content.body).digest('base64url').slice(0, 27)}"`
  reply.header('etag', etag).header('cache-control', 'public, max-age=60')
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(content.type).send(content.body)
}

/** RFC 9110 §13.1.2: a list of entity tags with weak comparison. */
function isKnown(known: string | undefined, etag: string): boolean {
  if (known === undefined) return false
  return known.split(',').some((tag) => {
    const bare = tag.trim().replace(/^W\//, '')
    return bare === etag || bare === '*'
  })
}
