/** Lists for the command line. */
import type { Database } from '../database.ts'

/** Far more rows than an installation has. A longer list is cut without notice. */
const rowsMax = 10_000

export interface ListedNewsletter {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly from: string
  readonly confirm: boolean
}

export async function listNewsletters(
  pg: Database,
  organizationId: string,
): Promise<ListedNewsletter[]> {
  const { rows } = await pg.query<ListedNewsletter>(
    `select id, slug, name, from_address as "from", confirm_signups as confirm
     from newsletters where organization_id = $1 order by slug limit ${rowsMax}`,
    [organizationId],
  )
  return rows
}
