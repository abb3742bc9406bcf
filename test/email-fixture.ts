/** What tests of the email API share: an organization with a key and newsletters, and the letters that wait to be sent. */
import { EmailBody, emailBodyPurpose } from '#schemas/mail/email-body.ts'
import { formatReaderToken, type ReadReaderToken } from '#schemas/mail/reader-token.ts'
import { createApiKey, createNewsletter } from '../api/io/account-store.ts'
import type { Answer, ApiFixture, Call, Tenant } from './api-fixture.ts'

export interface MailTenant extends Tenant {
  readonly apiKey: string
  /** Asks for confirmation. */
  readonly confirming: string
  /** Subscribes at once. */
  readonly direct: string
}

let tenantNo = 0

/** Slugs are unique in an installation, so each has the number of its tenant. */
export async function mailTenant(api: ApiFixture, name = 'Acme'): Promise<MailTenant> {
  tenantNo += 1
  const tenant = await api.tenant(name)
  const { organizationId } = tenant
  const { value: apiKey } = await createApiKey(api.pool, { organizationId, label: 'test' })
  const confirming = `confirming-${tenantNo}`
  const direct = `direct-${tenantNo}`
  const from = 'news@acme.test'
  const newsletters = [
    { slug: confirming, name: 'Weekly <News>', confirm: true },
    { slug: direct, name: 'Daily', confirm: false },
  ]
  for (const newsletter of newsletters) {
    await createNewsletter(api.pool, { organizationId, from, ...newsletter })
  }
  return { ...tenant, apiKey, confirming, direct }
}

/** A call of the email API with the tenant's key. */
export function callEmail(
  api: ApiFixture,
  tenant: Pick<MailTenant, 'apiKey'>,
  path: string,
  call: Call = {},
): Promise<Answer> {
  const headers = { authorization: `Bearer ${tenant.apiKey}`, ...call.headers }
  return api.call(`/api/v1${path}`, { ...call, headers })
}

export interface WaitingLetter {
  readonly kind: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly headers: Record<string, string>
}

/** The letters to one address, the oldest first. */
export async function lettersTo(api: ApiFixture, to: string): Promise<WaitingLetter[]> {
  const { rows } = await api.pool.query<WaitingLetter & { id: string; sealed: Buffer | null }>(
    `select id, kind, to_address as to, subject, text, html, headers, sealed_body as sealed
     from sends where to_address = $1 order by id`,
    [to],
  )
  return rows.map(({ id, sealed, ...letter }) =>
    sealed === null
      ? letter
      : {
          ...letter,
          ...EmailBody.parse(JSON.parse(api.ctx.box.open(emailBodyPurpose, id, sealed))),
        },
  )
}

/** The link of the last confirmation, as a path. */
export async function confirmPathTo(api: ApiFixture, to: string): Promise<string> {
  const letters = await lettersTo(api, to)
  const link = /\/confirm\/\S+/.exec(letters.findLast(({ kind }) => kind === 'confirmation')!.text)
  return link![0]
}

/** The token of one link of a campaign's email to this contact. */
export function readerTokenOf(
  api: ApiFixture,
  contactId: string,
  campaignId: string | null = null,
  kind: ReadReaderToken['kind'] = 'unsubscribe',
): string {
  return formatReaderToken(kind, { contactId, campaignId }, (purpose, message) =>
    api.ctx.box.mac(purpose, message),
  )
}
