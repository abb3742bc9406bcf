/**
 * Single letters on their way out. The row is the promise: once its transaction is committed the letter will be tried, whatever
 * happens to this process. The mail process is woken by the same commit, so that it tries within the second.
 */
import { v7 as uuidv7 } from 'uuid'
import type { SecretBox } from '#platform/secret-box.ts'
import { type EmailBody, emailBodyPurpose } from '#schemas/mail/email-body.ts'
import type { Database } from '../database.ts'

export const sendKinds = [
  'confirmation',
  'transactional',
  'notice',
  'welcome',
  'test',
  'system',
] as const
export type SendKind = (typeof sendKinds)[number]

export interface NewSend {
  readonly organizationId: string
  /** Of `ensureAddress`: the mailbox that a bounce of this letter will be about. */
  readonly addressId: string
  readonly kind: SendKind
  /** Null or left out: a letter of the installation's own, such as an invitation. */
  readonly newsletterId?: string | null | undefined
  readonly from: { readonly address: string; readonly name?: string | null | undefined }
  readonly replyTo?: string | null | undefined
  readonly to: { readonly address: string; readonly name?: string | null | undefined }
  readonly subject: string
  readonly html?: string | null | undefined
  readonly text: string
  /** Beyond those that every letter has: `Auto-Submitted` and the like. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Left out: at once. */
  readonly notBefore?: Date | undefined
}

/** The smaller goes first, and a campaign after all of them: somebody waits for a confirmation in front of the screen. */
const priorities: Readonly<Record<SendKind, number>> = {
  confirmation: 0,
  system: 0,
  transactional: 1,
  notice: 2,
  welcome: 2,
  test: 2,
}

export async function addSend(pg: Database, email: NewSend): Promise<{ id: string }> {
  const id = uuidv7()
  await insertSend(pg, { ...email, id, sealedBody: null })
  return { id }
}

/** An email that holds a one-time link: nobody who reads the database can use it. */
export async function addSealedSend(
  pg: Database,
  box: Pick<SecretBox, 'seal'>,
  email: NewSend,
): Promise<{ id: string }> {
  const id = uuidv7()
  const body: EmailBody = { text: email.text, html: email.html ?? null }
  const sealedBody = box.seal(emailBodyPurpose, id, JSON.stringify(body))
  await insertSend(pg, { ...email, id, text: '', html: null, sealedBody })
  return { id }
}

async function insertSend(
  pg: Database,
  email: NewSend & { readonly id: string; readonly sealedBody: Buffer | null },
): Promise<void> {
  // A notification is delivered at commit, and many of one transaction are one.
  await pg.query(
    `with added as (
       insert into sends (id, organization_id, newsletter_id, address_id, kind, priority, from_address, from_name,
         reply_to, to_address, to_name, subject, html, text, headers, not_before, sealed_body)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, coalesce($16, now()), $17)
     )
     select pg_notify('sends', '')`,
    [
      email.id,
      email.organizationId,
      email.newsletterId ?? null,
      email.addressId,
      email.kind,
      priorities[email.kind],
      email.from.address,
      email.from.name ?? null,
      email.replyTo ?? null,
      email.to.address,
      email.to.name ?? null,
      email.subject,
      email.html ?? null,
      email.text,
      JSON.stringify(email.headers ?? {}),
      email.notBefore ?? null,
      email.sealedBody,
    ],
  )
}
