/**
 * The content of one email, for members and owners. A transactional email often has a link that
 * works once, so the audit log tells who read it.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { SendContent } from '#schemas/rest/email/send.ts'
import { type Actor, addAuditOnce } from '../audit/audit-store.ts'
import {
  asScheme,
  type PreviewImages,
  type PreviewScheme,
  previewPolicy,
  withLinksOutside,
  withoutImages,
} from '../campaigns/checks/preview-look.ts'
import type { ApiContext } from '../context.ts'
import { found, requireUuid } from '../http/route.ts'
import { messageIdOf } from './get-send.ts'
import {
  contentStateOf,
  findSendDetail,
  readSendContent,
  type StoredSendContent,
  type StoredSendDetail,
} from './send-detail-store.ts'

type Context = Pick<ApiContext, 'pg' | 'clock'>

/** One entry for the text and the document that a page reads together. */
const auditedOnceMs = 10 * 60_000

const refusals = {
  withheld: 'Sluice wrote this email, and its links act for its recipient.',
  sealed: 'This email has a link that works once, and is encrypted until it is sent.',
  removed: 'No content of this email is stored any more.',
  stored: 'The content of this email was removed a moment ago.',
} as const

export async function getSendContent(
  ctx: Context,
  actor: Actor,
  asked: { readonly id: string },
): Promise<SendContent> {
  const { send, content } = await read(ctx, actor, asked.id)
  const named = (address: string, name: string | null) =>
    name === null ? address : `${name} <${address}>`
  const headers: readonly (readonly [string, string | null])[] = [
    ['From', named(send.from, send.fromName)],
    ['To', named(send.to, send.toName)],
    ['Reply-To', send.replyTo],
    ['Subject', send.subject],
    ['Message-ID', messageIdOf(send)],
    ...Object.entries(content.headers),
  ]
  return {
    headers: headers.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
    text: content.text,
    hasHtml: content.html !== null,
  }
}

/** The HTML part as a document for a sandboxed frame, with its policy. */
export async function getSendDocument(
  ctx: Context,
  actor: Actor,
  asked: { readonly id: string; readonly scheme: PreviewScheme; readonly images: PreviewImages },
): Promise<{ readonly html: string; readonly policy: string }> {
  const { html } = (await read(ctx, actor, asked.id)).content
  const shown = found(html ?? undefined)
  const seen = asked.images === 'load' ? shown : withoutImages(shown)
  return {
    html: withLinksOutside(asScheme(seen, asked.scheme)),
    policy: previewPolicy(asked.images),
  }
}

async function read(
  ctx: Context,
  actor: Actor,
  text: string,
): Promise<{ readonly send: StoredSendDetail; readonly content: StoredSendContent }> {
  const id = requireUuid(text)
  const { organizationId } = actor
  const send = found(await findSendDetail(ctx.pg, { organizationId, id }))
  const content = await readSendContent(ctx.pg, { organizationId, id })
  if (content === undefined) {
    throw new CodedError('not_found', { message: refusals[contentStateOf(send)] })
  }
  const entry = { action: 'email.content_read', subjectType: 'email', subjectId: id } as const
  await addAuditOnce(ctx.pg, actor, entry, new Date(ctx.clock.nowMs() - auditedOnceMs))
  return { send, content }
}
