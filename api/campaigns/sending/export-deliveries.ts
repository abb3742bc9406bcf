/**
 * Exports deliveries as CSV, page by page, so that a million rows need no more memory than a
 * thousand.
 */
import type { Delivery } from '#schemas/rest/email/sending.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { csvLine } from '../../files/table-file.ts'
import { requireCampaign } from '../require-campaign.ts'
import { listDeliveries } from './delivery-store.ts'
import { deliveryView } from './sending-view.ts'

const rowsPerRead = 2_000
const columns = [
  'email',
  'name',
  'state',
  'reason',
  'attempts',
  'handedOverAt',
  'finishedAt',
  'contactId',
] as const satisfies readonly (keyof Delivery)[]

interface DeliveryExport {
  readonly campaignId: string
  /** Undefined: deliveries in all states. */
  readonly state?: Delivery['state'] | undefined
}

/** The audit entry is written before the first row is read. */
export async function exportDeliveries(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { campaignId, state }: DeliveryExport,
): Promise<{ filename: string; lines: AsyncGenerator<string> }> {
  const { organizationId } = actor
  const { id, archiveSlug } = await requireCampaign(ctx.pg, { organizationId, campaignId })
  await addAudit(ctx.pg, actor, {
    action: 'delivery.exported',
    subjectType: 'campaign',
    subjectId: id,
    details: { state: state ?? null },
  })
  return {
    filename: `deliveries-${archiveSlug}.csv`,
    lines: linesOf(ctx.pg, { campaignId: id, state }),
  }
}

async function* linesOf(
  pg: Database,
  filter: { campaignId: string; state: Delivery['state'] | undefined },
): AsyncGenerator<string> {
  yield `\uFEFF${columns.join(',')}\r\n`
  let after: string | undefined
  for (;;) {
    const rows = await listDeliveries(pg, {
      ...filter,
      search: undefined,
      after,
      rowsMax: rowsPerRead,
    })
    yield rows.map((row) => lineOf(deliveryView(row))).join('')
    after = rows.at(-1)?.contactId
    if (rows.length < rowsPerRead) return
  }
}

function lineOf(delivery: Delivery): string {
  return csvLine(columns.map((name) => delivery[name]))
}
