/**
 * Queues transactional and system emails. Once the transaction of a row is committed, the email
 * will be tried even if this process ends. The same commit notifies the mail processes, so that one
 * of them tries it within a second.
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
  /** From `ensureAddress`: the address that a bounce of this email will be about. */
  readonly addressId: string
  readonly kind: SendKind
  /** Null or left out: an email of the installation itself, such as an invitation. */
  readonly newsletterId?: string | null | undefined
  readonly from: { readonly address: string; readonly name?: string | null | undefined }
  readonly replyTo?: string | null | undefined
  readonly to: { readonly address: string; readonly name?: string | null | undefined }
  readonly subject: string
  readonly html?: string | null | undefined
  readonly text: string
  /** In addition to those that every email has, such as `Auto-Submitted`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Left out: now. */
  readonly notBefore?: Date | undefined
}

/**
 * Smaller numbers are sent first; campaigns come after all of them. People wait for a confirmation
 * in front of the screen.
 */
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

/**
 * For an email with a one-time link: the body is sealed, so that the link cannot be read from the
 * database.
 */
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
  // Postgres delivers the notification at commit, and merges those of one transaction.
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
