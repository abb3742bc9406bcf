/** What tests of contact imports share: uploading a file as a person does, and reading what is stored then. */
import type { ApiFixture, PersonLogin } from './api-fixture.ts'
import { type MailTenant, mailTenant } from './email-fixture.ts'
import { waitUntil } from './wait-until.ts'

export interface ImportDesk {
  readonly tenant: MailTenant
  readonly login: PersonLogin
}

export interface Report {
  readonly state: string
  readonly problems: readonly { line: number; field: string; rule: string }[]
  readonly warnings: readonly { line: number; field: string; rule: string }[]
  readonly [field: string]: unknown
}

const admin = '/api/v1/admin/email'

export async function importDesk(api: ApiFixture): Promise<ImportDesk> {
  const tenant = await mailTenant(api)
  return { tenant, login: await api.login(tenant, 'member') }
}

export async function uploadContacts(
  api: ApiFixture,
  { login }: ImportDesk,
  file: string | Buffer,
  query: Readonly<Record<string, string>>,
  contentType = 'text/csv',
) {
  const response = await api.app.inject({
    method: 'POST',
    url: `${admin}/imports?${new URLSearchParams(query)}`,
    headers: { cookie: login.cookie, 'x-csrf-token': login.csrf, 'content-type': contentType },
    payload: file,
  })
  return { status: response.statusCode, body: response.json() }
}

/** Uploads a file that is accepted, and waits for the report. */
export async function importContacts(
  api: ApiFixture,
  desk: ImportDesk,
  file: string | Buffer,
  query: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const newsletter = desk.tenant.direct
  const { status, body } = await uploadContacts(api, desk, file, { newsletter, ...query })
  if (status !== 202) throw new Error(`refused with ${status}: ${JSON.stringify(body)}`)
  let report: Report | undefined
  await waitUntil('the import is over', async () => {
    const path = `${admin}/imports/${body.id}`
    report = (await api.call(path, { method: 'GET', login: desk.login })).body
    return report !== undefined && ['done', 'failed'].includes(report.state)
  })
  return report!
}

export async function exportContacts(
  api: ApiFixture,
  { tenant, login }: ImportDesk,
  newsletter: string = tenant.direct,
): Promise<string> {
  const path = `${admin}/contacts/export?newsletter=${newsletter}`
  return (await api.call(path, { method: 'GET', login })).body as unknown as string
}

export interface StoredState {
  readonly email: string
  readonly status: string
  readonly before: string | null
  readonly cause: string | null
  readonly name: string | null
  readonly attribs: Record<string, unknown>
}

export async function storedStates(api: ApiFixture, { tenant }: ImportDesk) {
  const { rows } = await api.pool.query<StoredState>(
    `select a.email, c.status, c.status_before as before, a.suppression_cause as cause, c.name, c.attribs
     from contacts c join addresses a on a.id = c.address_id where c.organization_id = $1 order by a.email_key`,
    [tenant.organizationId],
  )
  return rows
}
